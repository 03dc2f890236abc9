package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Topics;
import io.sluice.common.trace.TraceIds;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.backend.SharedBackends;
import io.sluice.tracing.CollectedSpan;
import io.sluice.tracing.Collector;
import io.sluice.tracing.TraceTree;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One trace of gateway, router and workers in processes of their own. */
@ExtendWith(SharedBackends.class)
class TracingIT {
  private static final int TOKENS = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** How a router may find out first that a worker is dead, on a busy machine. */
  private static final String LOSSES = "worker_gone|no_progress";

  /** Also in docs/tracing.md. The worker that was killed took its own span with it. */
  private static final String TREE =
      """
      sluice-gateway: POST /v1/chat/completions (SERVER) attempts=2 finish_reasons=[length]
        sluice-router: request (CONSUMER) attempts=2
          sluice-router: queue (INTERNAL)
          sluice-router: attempt (PRODUCER) attempt=1 outcome=lost worker=killed error.type=worker_silent
          sluice-router: queue (INTERNAL)
          sluice-router: attempt (PRODUCER) attempt=2 outcome=completed worker=other
            sluice-worker: generate (CONSUMER) attempt=2 outcome=completed worker=other [claim mode=resume, resume way=ids, first_token]
              sluice-worker: text_completion sluice-8b (CLIENT) operation=text_completion finish_reasons=[length]
      """;

  private final Map<String, ServiceProcess> workers = new ConcurrentHashMap<>();
  private final Map<String, Integer> ports = new ConcurrentHashMap<>();
  private final Map<String, SimulatedEngine> engines = new HashMap<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private Collector collector;
  private ServiceProcesses processes;
  private Backends backends;
  private PlainClient client;
  private int gatewayPort;

  @BeforeEach
  void start(Backends shared) throws Exception {
    backends = shared;
    collector = Collector.start();
    String endpoint = collector.endpoint().toString();
    processes = new ServiceProcesses(shared, "--trace-endpoint", endpoint, "--trace-sample", "1");
    gatewayPort = LocalPort.settle(0, "the gateway");
    for (String id : List.of("t1", "t2")) {
      SimulatorConfig config =
          SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL));
      engines.put(id, SimulatedEngine.start(config));
      ports.put(id, LocalPort.settle(0, "a worker"));
    }
    var router =
        CompletableFuture.runAsync(() -> processes.router("tracing", 0, PoolPlan.MODEL + "=16384"));
    engines.keySet().parallelStream().forEach(this::startWorker);
    processes.gateway(gatewayPort);
    router.join();
    client = new PlainClient(backends.kafkaBootstrapServers());
  }

  @AfterEach
  void stop() {
    client.close();
    processes.close();
    engines.values().forEach(SimulatedEngine::close);
    collector.close();
  }

  @Test
  void aRequestThatSurvivesItsWorkersDeathIsOneTrace() throws Exception {
    // Given a request in mid-stream
    String traceId = TraceIds.trace();
    String clientSpan = TraceIds.span();
    HttpResponse<InputStream> response =
        http.send(chat("00-" + traceId + "-" + clientSpan + "-01"), BodyHandlers.ofInputStream());
    assertThat(response.statusCode()).isEqualTo(200);
    String id = response.headers().firstValue("x-request-id").orElseThrow();
    String killed = workerOf(id);

    // When its worker is killed, and the stream is read to its end
    workers.get(killed).kill();
    try (SseReader reader = new SseReader(response.body())) {
      assertThat(reader.all().getLast().data()).isEqualTo("[DONE]");
    }

    // Then all that lived has told its part
    int spans = (int) TREE.lines().count();
    await().atMost(PATIENCE).until(() -> collector.trace(traceId).size() >= spans);
    List<CollectedSpan> trace = collector.trace(traceId);
    String tree = new TraceTree(trace).drawn();
    String other = killed.equals("t1") ? "t2" : "t1";
    assertThat(
            tree.replace("=" + killed, "=killed")
                .replace("=" + other, "=other")
                .replaceAll(LOSSES, "worker_silent"))
        .as("the trace is\n%s", tree)
        .isEqualTo(TREE);
    assertThat(trace.stream().filter(span -> span.service().equals("sluice-gateway")))
        .extracting(CollectedSpan::parentSpanId)
        .containsExactly(clientSpan);

    // And the histogram of times to the first token names a trace
    String metrics = metrics(ports.get(other));
    assertThat(metrics).contains("sluice_trace_spans_exported_total");
    assertThat(metrics.lines())
        .anyMatch(
            line ->
                line.startsWith("sluice_worker_ttft_seconds_bucket")
                    && line.contains("trace_id=\"" + traceId + "\""));
  }

  private HttpRequest chat(String traceparent) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + gatewayPort + "/v1/chat/completions"))
        .header("content-type", "application/json")
        .header("traceparent", traceparent)
        .POST(BodyPublishers.ofByteArray(Requests.chat("survive", TOKENS)))
        .build();
  }

  private String workerOf(String id) {
    var first =
        client.collect(Topics.REPLIES, PlainClient.ofRequest(id), records -> records.size() >= 3);
    return PlainClient.header(first.getFirst(), "worker").orElseThrow();
  }

  private String metrics(int port) throws Exception {
    HttpRequest ask =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/prometheus"))
            .header("accept", "application/openmetrics-text; version=1.0.0")
            .build();
    return http.send(ask, BodyHandlers.ofString()).body();
  }

  private void startWorker(String id) {
    workers.put(id, processes.worker(id, ports.get(id), engines.get(id).uri()));
  }
}
