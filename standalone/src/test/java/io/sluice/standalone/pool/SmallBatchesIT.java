package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Topics;
import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A pool over two engines that run two requests at once, as {@code --max-num-seqs 2} has them. */
@ExtendWith(SharedBackends.class)
class SmallBatchesIT {
  private static final int AT_ONCE = 30;
  private static final int TOKENS = 40;

  private static final SimulatorConfig CONFIG =
      SimulatorConfig.of(GpuProfile.RTX4090)
          .withServer(ServerOptions.with(options -> options.promptTokensDetails = true))
          .withModels(List.of(PoolPlan.MODEL))
          .withScheduling(Scheduling.of(2, 2_048).withAsync(true));

  private final List<SimulatedEngine> engines = new ArrayList<>();
  private LocalPool pool;
  private PlainClient client;

  @BeforeEach
  void start(Backends backends) throws Exception {
    engines.add(SimulatedEngine.start(CONFIG));
    engines.add(SimulatedEngine.start(CONFIG));
    pool =
        LocalPool.start(
            PoolPlan.over(
                    Ports.free(),
                    engines.stream().map(SimulatedEngine::uri).toList(),
                    Optional.empty())
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
    for (SimulatedEngine engine : engines) {
      engine.close();
    }
  }

  @Test
  void aLongPrefixThatComesAgainGoesToTheWorkerThatHasIt() throws Exception {
    // Given
    String prefix = UUID.randomUUID() + " word".repeat(1_200);
    String holder = workerOf(prefix + " first");

    // When
    List<String> workers = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      workers.add(workerOf(prefix + " again " + i));
    }

    // Then
    assertThat(workers).containsOnly(holder);
  }

  @Test
  void nothingIsLostWhenFarMoreComeAtOnceThanRun() throws Exception {
    // When
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      ids.add(send("tell me of " + i));
    }

    // Then
    for (String id : ids) {
      PlainClient.Answer answer = client.read(Topics.REPLIES, id);
      assertThat(answer.ok()).as("%s", answer.last()).isTrue();
      assertThat(answer.tokens()).isEqualTo(TOKENS);
      assertThat(answer.attempts()).isOne();
    }
  }

  private String workerOf(String prompt) throws Exception {
    PlainClient.Answer answer = client.read(Topics.REPLIES, send(prompt));
    assertThat(answer.ok()).as("%s", answer.last()).isTrue();
    return PlainClient.header(answer.records().getFirst(), "worker").orElseThrow();
  }

  private String send(String prompt) throws Exception {
    String id = UUID.randomUUID().toString();
    client.send("sluice.requests.2k", id, Requests.chat(prompt, TOKENS), Map.of("request-id", id));
    return id;
  }
}
