package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Topics;
import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.worker.app.Worker;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A local pool over external engines. */
class RealEnginesIT {
  private static final String ID = "asked-before-the-engine-came";

  @Test
  void aPoolIsUpBeforeItsEngineAndServesUnderTheGivenNameWhenThatComes() throws Exception {
    // Given
    int port = LocalPort.settle(0, "an engine that is still loading");
    URI base = URI.create("http://127.0.0.1:" + port + "/v1");
    PoolPlan plan =
        PoolPlan.over(
            Ports.free(), List.of(base), Optional.of(PoolPlan.MODEL), Optional.of("secret"));
    try (LocalPool pool = LocalPool.start(plan);
        PlainClient client = new PlainClient(pool.kafka())) {
      Worker worker = pool.workers().getFirst();
      assertThat(worker.models()).isEmpty();
      client.send(
          "sluice.requests.2k", ID, Requests.chat("a question", 5), Map.of("request-id", ID));

      // When
      SimulatorConfig config =
          SimulatorConfig.of(GpuProfile.RTX4090)
              .withPort(port)
              .withServer(ServerOptions.with(options -> options.apiKeys = List.of("secret")))
              .withModels(List.of("its-own-name"));
      try (SimulatedEngine engine = SimulatedEngine.start(config)) {
        assertThat(worker.awaitReady(Duration.ofSeconds(30))).isTrue();

        // Then
        assertThat(worker.models()).containsExactly(PoolPlan.MODEL);
        PlainClient.Answer answer = client.read(Topics.REPLIES, ID);
        assertThat(answer.ok()).as("%s", answer.last()).isTrue();
      }
    }
  }
}
