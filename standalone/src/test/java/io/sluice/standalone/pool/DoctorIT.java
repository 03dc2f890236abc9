package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.cli.doctor.DoctorCommand;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code doctor} examines a pool on this machine while its engine dies. */
class DoctorIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private record Report(int code, String text) {}

  @Test
  void aPoolThatWorksHasNoFailuresAndADeadEngineIsOne() throws Exception {
    try (SimulatedEngine engine =
            SimulatedEngine.start(
                SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL)));
        LocalPool pool =
            LocalPool.start(
                PoolPlan.over(Ports.free(), List.of(engine.uri()), Optional.empty())
                    .withWarmEngines())) {
      // When
      Report healthy = examine(pool);

      // Then
      assertThat(healthy.code()).as(healthy.text()).isZero();
      assertThat(healthy.text())
          .contains("ok       topics: all ")
          .contains("ok       Kafka's clock: ")
          .contains("ok       Redis: version ")
          .containsPattern("ok       routers in Kafka: [1-9]")
          .containsPattern("ok       disk of broker \\d")
          .containsPattern("ok       worker \\S+: " + PoolPlan.MODEL)
          .contains("warning  access to Kafka: ");

      // When
      engine.close();

      // Then
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(examine(pool).text()).contains("its engine does not answer"));
      assertThat(examine(pool).code()).isEqualTo(1);
    }
  }

  private static Report examine(LocalPool pool) {
    var out = new StringWriter();
    int code =
        new CommandLine(new DoctorCommand())
            .setOut(new PrintWriter(out, true))
            .execute("--kafka", pool.kafka(), "--redis", pool.redis());
    return new Report(code, out.toString());
  }
}
