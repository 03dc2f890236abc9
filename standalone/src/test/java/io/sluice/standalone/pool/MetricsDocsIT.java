package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.sluice.common.protocol.Topics;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import io.sluice.worker.app.Worker;
import io.sluice.worker.config.WorkerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tables of docs/metrics.md are what the services of a running pool export. With {@code
 * -Dsluice.docs.update=true} the test writes them instead.
 */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class MetricsDocsIT {
  private static final Path PAGE = Path.of("..", "docs", "metrics.md");
  private static final boolean UPDATE = Boolean.getBoolean("sluice.docs.update");
  private static final String LAST_OF_A_REQUEST = "gen_ai_client_token_usage";

  private static final String OF_A_GPU = "sluice_worker_gpu_celsius";

  private final HttpClient http = HttpClient.newHttpClient();
  private LocalPool pool;
  private HttpServer gpuExporter;
  private Worker gpuWorker;

  @BeforeAll
  void start(Backends backends) throws Exception {
    pool = Pools.start(backends, 1);
    try (var client = new PlainClient(backends.kafkaBootstrapServers())) {
      String id = UUID.randomUUID().toString();
      client.send("sluice.requests.2k", id, Requests.chat("why", 5), Map.of("request-id", id));
      assertThat(client.read(Topics.REPLIES, id).ok()).isTrue();
    }
    await().until(() -> scrape("worker", "/metrics").body().contains(LAST_OF_A_REQUEST));
    startGpuWorker();
    await().until(() -> gpuPage().contains(OF_A_GPU));
  }

  /** A worker without an engine, that reads the temperature of a GPU. */
  private void startGpuWorker() throws IOException {
    gpuExporter = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    gpuExporter.createContext(
        "/metrics",
        exchange -> {
          byte[] page = "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-0\"} 60\n".getBytes(UTF_8);
          exchange.sendResponseHeaders(200, page.length);
          exchange.getResponseBody().write(page);
          exchange.close();
        });
    gpuExporter.start();
    int port = gpuExporter.getAddress().getPort();
    gpuWorker =
        Worker.start(
            WorkerConfig.of(
                Map.of(
                    "id",
                    "gpu",
                    "port",
                    "0",
                    "kafka",
                    pool.kafka(),
                    "redis",
                    pool.redis(),
                    "partitions",
                    Integer.toString(PoolPlan.LOCAL_PARTITIONS),
                    "replication",
                    "1",
                    "engine-url",
                    "http://127.0.0.1:9",
                    "gpu-readings",
                    "http://127.0.0.1:" + port + "/metrics")));
  }

  @AfterAll
  void stop() {
    gpuWorker.close();
    gpuExporter.stop(0);
    pool.close();
    http.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"router", "worker", "gateway"})
  void thePageListsWhatAServiceExports(String service) throws Exception {
    String page = scrape(service, "/metrics").body();
    List<MetricFamily> families =
        MetricFamily.read(service.equals("worker") ? page + gpuPage() : page);

    assertThat(families).allSatisfy(family -> assertThat(family.help()).isNotBlank());
    String rows =
        families.stream()
            .filter(MetricFamily::isOfSluice)
            .map(MetricFamily::row)
            .collect(Collectors.joining());
    assertTable(service + " metrics", MetricFamily.HEAD + rows);
  }

  @ParameterizedTest
  @ValueSource(strings = {"router", "worker", "gateway"})
  void bothPathsServeTheTextThatPrometheusReads(String service) throws Exception {
    for (String path : List.of("/metrics", "/prometheus")) {
      HttpResponse<String> page = scrape(service, path);

      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("content-type").orElseThrow()).startsWith("text/plain");
      assertThat(page.body()).contains("# TYPE sluice_" + service);
    }
  }

  private HttpResponse<String> scrape(String service, String path) throws Exception {
    int port =
        switch (service) {
          case "router" -> pool.routerPort();
          case "gateway" -> pool.gatewayPort();
          default -> pool.workers().getFirst().httpPort();
        };
    return scrape(port, path);
  }

  private String gpuPage() throws Exception {
    return scrape(gpuWorker.httpPort(), "/metrics").body();
  }

  private HttpResponse<String> scrape(int port, String path) throws Exception {
    var ask = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
    return http.send(ask, BodyHandlers.ofString());
  }

  private static void assertTable(String name, String expected) throws Exception {
    String begin = "<!-- " + name + ": written by MetricsDocsIT -->\n";
    String end = "<!-- end of " + name + " -->";
    String page = Files.readString(PAGE);
    assertThat(page).contains(begin).contains(end);
    int from = page.indexOf(begin) + begin.length();
    int to = page.indexOf(end, from);
    if (UPDATE) {
      Files.writeString(PAGE, page.substring(0, from) + expected + page.substring(to));
    } else {
      assertThat(page.substring(from, to))
          .as("the table '%s' in docs/metrics.md; -Dsluice.docs.update=true writes it", name)
          .isEqualTo(expected);
    }
  }
}
