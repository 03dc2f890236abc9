package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Topics;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pool with a single engine, a common setup, which restarts from time to time. */
@ExtendWith(SharedBackends.class)
class OneEngineIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int TOKENS = 120;

  /** From the engine's return to the first new token, as docs/engines.md promises. */
  private static final Duration GOES_ON_WITHIN = Duration.ofSeconds(3);

  /** No more than a worker may try at once whose engine has just come back. */
  private static final int PROBES = 3;

  /** The value in a router's metrics for a worker whose breaker is open. */
  private static final double OPEN = 2;

  private static final SimulatorConfig CONFIG =
      SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL));

  private SimulatedEngine engine;
  private LocalPool pool;
  private PlainClient client;

  @BeforeEach
  void start(Backends backends) throws Exception {
    engine = SimulatedEngine.start(CONFIG);
    pool =
        LocalPool.start(
            PoolPlan.over(Ports.free(), List.of(engine.uri()), Optional.empty())
                .withWarmEngines()
                .using(
                    Optional.of(backends.kafkaBootstrapServers()),
                    Optional.of(backends.redisUri())));
    client = new PlainClient(backends.kafkaBootstrapServers());
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    pool.close();
    engine.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 6})
  void streamsSurviveTheRestartOfTheOnlyEngine(int streams) throws Exception {
    // Given
    String prompt = "tell me of " + UUID.randomUUID();
    PlainClient.Answer undisturbed = client.read(Topics.REPLIES, send(prompt));
    List<String> ids = running(streams, prompt);

    // When
    int port = engine.port();
    engine.kill();
    ServiceMetrics router = new ServiceMetrics(pool.routerPort());
    await().atMost(PATIENCE).until(() -> router.sum("sluice_router_breaker").orElse(0) == OPEN);
    String meanwhile = send(prompt);
    engine = SimulatedEngine.start(CONFIG.withPort(port));
    Instant back = brokerNow();

    // Then
    for (String id : ids) {
      PlainClient.Answer resumed = client.read(Topics.REPLIES, id);
      assertWhole(resumed, undisturbed);
      if (streams < PROBES) {
        assertThat(firstTokensSince(back, resumed))
            .as("went on soon: %s", resumed.records())
            .isBetween(back, back.plus(GOES_ON_WITHIN));
      }
    }
    PlainClient.Answer answer = client.read(Topics.REPLIES, meanwhile);
    assertThat(answer.attempts()).as("waited for the engine: %s", answer.records()).isOne();
  }

  @Test
  void streamsGoOnAtOnceOverAnEngineThatIsBackBeforeItsWorkerLooks() throws Exception {
    // Given
    String prompt = "tell me of " + UUID.randomUUID();
    PlainClient.Answer undisturbed = client.read(Topics.REPLIES, send(prompt));
    List<String> ids = running(6, prompt);

    // When
    int port = engine.port();
    engine.kill();
    engine = SimulatedEngine.start(CONFIG.withPort(port));

    // Then
    for (String id : ids) {
      PlainClient.Answer answer = client.read(Topics.REPLIES, id);
      assertWhole(answer, undisturbed);
      assertThat(answer.attempts()).as("went on: %s", answer.records()).isEqualTo(2);
    }
  }

  private List<String> running(int streams, String prompt) throws Exception {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      ids.add(send(prompt));
    }
    ids.forEach(this::awaitTokens);
    return ids;
  }

  /** Returns the time of the embedded broker, which does not follow a wall clock that is set. */
  private static Instant brokerNow() {
    return Instant.ofEpochMilli(Time.SYSTEM.milliseconds());
  }

  /** Returns when the broker got the first tokens after the engine's return. */
  private static Instant firstTokensSince(Instant back, PlainClient.Answer answer) {
    return answer.records().stream()
        .filter(record -> PlainClient.header(record, "kind").equals(Optional.of("tokens")))
        .map(record -> Instant.ofEpochMilli(record.timestamp()))
        .filter(appended -> appended.isAfter(back))
        .findFirst()
        .orElseThrow();
  }

  private static void assertWhole(PlainClient.Answer answer, PlainClient.Answer undisturbed) {
    assertThat(answer.ok()).as("ended well: %s", answer.last()).isTrue();
    assertThat(answer.text()).isEqualTo(undisturbed.text());
    assertThat(answer.tokens()).isEqualTo(TOKENS);
  }

  private String send(String prompt) throws Exception {
    String id = UUID.randomUUID().toString();
    client.send("sluice.requests.2k", id, Requests.chat(prompt, TOKENS), Map.of("request-id", id));
    return id;
  }

  private void awaitTokens(String id) {
    var _ =
        client.collect(Topics.REPLIES, PlainClient.ofRequest(id), records -> records.size() >= 3);
  }
}
