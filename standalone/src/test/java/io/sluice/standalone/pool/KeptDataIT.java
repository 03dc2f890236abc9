package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Topics;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.GpuProfile;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code up --data}: a local pool is stopped and started again, over a user's engine. */
class KeptDataIT {
  private static final int TOKENS = 300;

  @Test
  void answersAreKeptAndUnfinishedWorkGoesOnAfterARestart(@TempDir Path data) throws Exception {
    try (SimulatedEngine engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL)))) {
      // Given
      String undisturbed;
      try (LocalPool pool = LocalPool.start(plan(data, engine.uri()));
          PlainClient client = new PlainClient(pool.kafka())) {
        send(client, "finished");
        undisturbed = client.read(Topics.REPLIES, "finished").text();
        send(client, "unfinished");
        client.collect(
            Topics.REPLIES, PlainClient.ofRequest("unfinished"), records -> records.size() >= 3);
      }

      // When
      try (LocalPool pool = LocalPool.start(plan(data, engine.uri()));
          PlainClient client = new PlainClient(pool.kafka())) {
        PlainClient.Answer unfinished = client.read(Topics.REPLIES, "unfinished");

        // Then
        assertThat(client.read(Topics.REPLIES, "finished").text()).isEqualTo(undisturbed);
        assertThat(unfinished.ok()).as("%s", unfinished.last()).isTrue();
        assertThat(unfinished.text()).isEqualTo(undisturbed);
        assertThat(unfinished.tokens()).isEqualTo(TOKENS);
      }
    }
  }

  private static PoolPlan plan(Path data, URI engine) {
    return PoolPlan.over(Ports.free(), List.of(engine), Optional.empty())
        .storedIn(Optional.of(data));
  }

  private static void send(PlainClient client, String id) throws Exception {
    byte[] body = Requests.chat("the same question", TOKENS);
    client.send("sluice.requests.2k", id, body, Map.of("request-id", id));
  }
}
