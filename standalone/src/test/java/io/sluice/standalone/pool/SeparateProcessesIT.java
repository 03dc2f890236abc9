package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Topics;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.backend.SharedBackends;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Router, workers and simulators as processes of their own, killed and frozen by signals. */
@ExtendWith(SharedBackends.class)
class SeparateProcessesIT {
  private static final int TOKENS = 200;
  private static final String PARTITIONS = Integer.toString(PoolPlan.LOCAL_PARTITIONS);

  private final List<ServiceProcess> processes = new ArrayList<>();
  private final Map<String, ServiceProcess> workers = new HashMap<>();
  private Backends backends;
  private PlainClient client;
  private ServiceProcess router;

  @BeforeEach
  void start(Backends shared) throws Exception {
    backends = shared;
    router = router();
    for (String id : List.of("p1", "p2")) {
      int enginePort = LocalPort.settle(0, "the engine");
      processes.add(
          ServiceProcess.start(
              "simulator",
              "--model",
              PoolPlan.MODEL,
              "--profile",
              "rtx4090",
              "--port",
              Integer.toString(enginePort)));
      ServiceProcess worker =
          ServiceProcess.start(
              "worker",
              "--id",
              id,
              "--port",
              "0",
              "--engine-url",
              "http://127.0.0.1:" + enginePort,
              "--kafka",
              backends.kafkaBootstrapServers(),
              "--redis",
              backends.redisUri(),
              "--partitions",
              PARTITIONS,
              "--replication",
              "1");
      workers.put(id, worker);
      processes.add(worker);
    }
    client = new PlainClient(backends.kafkaBootstrapServers());
  }

  @AfterEach
  void stop() {
    client.close();
    processes.forEach(ServiceProcess::close);
  }

  @Test
  void aStreamSurvivesTheDeathAndTheFreezingOfWorkersAndTheDeathOfTheRouter() throws Exception {
    // Given
    String prompt = "survive " + UUID.randomUUID();
    String undisturbed = client.read(Topics.REPLIES, send(prompt)).text();

    // When its worker is frozen in mid-stream
    String frozen = send(prompt);
    ServiceProcess its = workers.get(workerOf(frozen));
    its.signal("STOP");
    PlainClient.Answer afterFreeze = client.read(Topics.REPLIES, frozen);
    its.signal("CONT");

    // Then
    assertThat(afterFreeze.ok()).as("%s", afterFreeze.last()).isTrue();
    assertThat(afterFreeze.text()).isEqualTo(undisturbed);

    // When the router is killed in mid-stream
    String orphaned = send(prompt);
    workerOf(orphaned);
    router.kill();
    PlainClient.Answer withoutRouter = client.read(Topics.REPLIES, orphaned);

    // Then the stream ends all the same, and another router takes over
    assertThat(withoutRouter.text()).isEqualTo(undisturbed);
    assertThat(withoutRouter.ok()).isTrue();
    router = router();
    assertThat(client.read(Topics.REPLIES, send(prompt)).text()).isEqualTo(undisturbed);

    // When its worker is killed in mid-stream
    String killed = send(prompt);
    workers.get(workerOf(killed)).kill();
    PlainClient.Answer afterKill = client.read(Topics.REPLIES, killed);

    // Then
    assertThat(afterKill.ok()).as("%s", afterKill.last()).isTrue();
    assertThat(afterKill.text()).isEqualTo(undisturbed);
    assertThat(router.terminate()).isIn(0, 143);
  }

  @Test
  void routersHearOfWhatTheOthersSend() throws Exception {
    // When
    int port = LocalPort.settle(0, "the other router");
    router("other", port);

    // Then: requests go to the partitions of either
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              client.read(Topics.REPLIES, send("told " + UUID.randomUUID()));
              String metrics = metrics(port);
              return metrics.matches(atLeastOne("published"))
                  && metrics.matches(atLeastOne("received"));
            });
    assertThat(metrics(port)).matches("(?s).*sluice_router_peers_dropped_total(\\{\\S*})? 0\\.0.*");
  }

  private static String atLeastOne(String counter) {
    return "(?s).*sluice_router_peers_" + counter + "_total(\\{\\S*})? [1-9].*";
  }

  private static String metrics(int port) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      URI page = URI.create("http://127.0.0.1:" + port + "/prometheus");
      return http.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString()).body();
    }
  }

  private ServiceProcess router() throws Exception {
    return router("separate", LocalPort.settle(0, "the router"));
  }

  private ServiceProcess router(String id, int port) throws Exception {
    ServiceProcess started =
        ServiceProcess.start(
            "router",
            "--id",
            id,
            "--port",
            Integer.toString(port),
            "--models",
            PoolPlan.MODEL + "=16384",
            "--kafka",
            backends.kafkaBootstrapServers(),
            "--redis",
            backends.redisUri(),
            "--partitions",
            PARTITIONS,
            "--replication",
            "1");
    processes.add(started);
    return started;
  }

  private String send(String prompt) throws Exception {
    String id = UUID.randomUUID().toString();
    client.send("sluice.requests.2k", id, Requests.chat(prompt, TOKENS), Map.of("request-id", id));
    return id;
  }

  private String workerOf(String id) {
    var first =
        client.collect(Topics.REPLIES, PlainClient.ofRequest(id), records -> records.size() >= 3);
    return PlainClient.header(first.getFirst(), "worker").orElseThrow();
  }
}
