package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Topics;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.kafka.EmbeddedKafka;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A router whose waiting requests have more text than its heap can hold. */
class SmallHeapIT {
  /** Less, and full collections take most of the time of the router. */
  private static final int HEAP_MIB = 144;

  /** With 38 KB each, more than the heap. */
  private static final int WAITING = 4_000;

  private static final String TEXT = "four word prompt, ".repeat(2_150);

  /** The router reads 150 MB with little memory, perhaps on a busy machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private final List<AutoCloseable> running = new ArrayList<>();
  private ServiceProcesses processes;
  private PlainClient client;

  @BeforeEach
  void start() {
    EmbeddedKafka broker = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
    running.add(broker);
    EmbeddedRedis registry = EmbeddedRedis.start(0);
    running.add(registry);
    processes = new ServiceProcesses(broker.bootstrapServers(), registry.uri());
    running.add(processes);
    client = new PlainClient(broker.bootstrapServers());
    running.add(client);
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable part : running.reversed()) {
      part.close();
    }
  }

  @Test
  void aRouterRefusesBeforeItsHeapIsFullAndComesUpAgainAfterAKillAndGoesOn() throws Exception {
    // Given
    int port = LocalPort.settle(0, "the router");
    ServiceProcess router = router(port);
    Set<String> sent = send(WAITING);
    await().atMost(PATIENCE).until(() -> waiting(port) == WAITING);
    String refused = client.read(Topics.REPLIES, sendOne()).errorCode();

    // When
    router.kill();
    send(WAITING / 10);
    int next = LocalPort.settle(0, "the router");
    router(next);
    await().atMost(PATIENCE).until(() -> waiting(next) >= WAITING);
    String refusedAgain = client.read(Topics.REPLIES, sendOne()).errorCode();

    // Then
    assertThat(List.of(refused, refusedAgain)).containsOnly("overloaded");
    // Each task has the share of its keys, so the first to start may have room for a few more.
    assertThat(waiting(next)).isBetween((double) WAITING, WAITING * 1.05);

    // When
    startWorker();

    // Then
    var answers =
        client.collect(
            Topics.REPLIES,
            record -> PlainClient.header(record, "kind").equals(Optional.of("final")),
            records -> !records.isEmpty());
    assertThat(answers).isNotEmpty().allMatch(answer -> sent.contains(answer.key()));
    await().atMost(PATIENCE).until(() -> waiting(next) < WAITING);
  }

  private String sendOne() throws Exception {
    return send(1).iterator().next();
  }

  private Set<String> send(int requests) throws Exception {
    Map<String, Future<RecordMetadata>> sending = new HashMap<>();
    for (int i = 0; i < requests; i++) {
      String id = UUID.randomUUID().toString();
      Map<String, String> headers = Map.of("request-id", id, "timeout-ms", "600000");
      byte[] body = Requests.chat(id + TEXT, 2);
      sending.put(id, client.sending("sluice.requests.32k", id, body, headers));
    }
    for (Future<RecordMetadata> sent : sending.values()) {
      sent.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    return sending.keySet();
  }

  private ServiceProcess router(int port) {
    return processes.router(
        HEAP_MIB,
        "small",
        port,
        PoolPlan.MODEL + "=16384",
        "--max-pending",
        Integer.toString(WAITING));
  }

  private void startWorker() {
    int engine = LocalPort.settle(0, "the engine");
    running.add(
        ServiceProcess.start(
            "simulator", "--model", PoolPlan.MODEL, "--port", Integer.toString(engine)));
    processes.worker("w", 0, URI.create("http://127.0.0.1:" + engine));
  }

  private static double waiting(int port) throws InterruptedException {
    return new ServiceMetrics(port).sum("sluice_router_pending").orElse(0);
  }
}
