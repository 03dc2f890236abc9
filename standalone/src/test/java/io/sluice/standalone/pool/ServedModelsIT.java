package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Topics;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A pool over an engine, as {@code up --engine} starts it: nobody said what it is to serve. */
@ExtendWith(SharedBackends.class)
class ServedModelsIT {
  private static final String LANE = "sluice.requests.2k";

  @Test
  void whatTheEngineDoesNotServeIsRefusedLongBeforeItsDeadline(Backends backends) throws Exception {
    // Given
    SimulatorConfig config =
        SimulatorConfig.of(GpuProfile.RTX4090)
            .withModels(List.of(PoolPlan.MODEL, "adapter"))
            .withMaxModelLen(2_048);
    try (SimulatedEngine engine = SimulatedEngine.start(config);
        LocalPool pool =
            LocalPool.start(
                PoolPlan.over(Ports.free(), List.of(engine.uri()), Optional.empty())
                    .using(
                        Optional.of(backends.kafkaBootstrapServers()),
                        Optional.of(backends.redisUri())));
        PlainClient client = new PlainClient(pool.kafka())) {
      // When
      String unknown = send(client, Requests.chat("typo", "a question", 5, true));
      String tooLong = send(client, Requests.chat("sea ".repeat(4_000), 5));
      String adapted = send(client, Requests.chat("adapter", "a question", 5, true));

      // Then
      assertThat(refusal(client, unknown)).contains("model_not_found", "adapter");
      assertThat(refusal(client, tooLong)).contains("context_length_exceeded", "2048");
      assertThat(client.read(Topics.REPLIES, adapted).ok()).isTrue();
    }
  }

  private static String refusal(PlainClient client, String id) {
    return String.valueOf(client.read(Topics.REPLIES, id).last());
  }

  private static String send(PlainClient client, byte[] body) throws Exception {
    String id = UUID.randomUUID().toString();
    client.send(LANE, id, body, Map.of("request-id", id, "timeout-ms", "600000"));
    return id;
  }
}
