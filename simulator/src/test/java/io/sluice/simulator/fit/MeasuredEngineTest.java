package io.sluice.simulator.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.StepCost;
import io.sluice.simulator.fault.Fault;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MeasuredEngineTest {

  private static final double REQUEST_MILLIS = 120;
  private static final double STEP_MILLIS = 5;

  private final Prompts prompts = new Prompts(1);

  @Test
  void aRequestTakesItsOwnTimePlusTheTimeOfItsSteps() throws IOException {
    try (SimulatedEngine simulated = SimulatedEngine.start(config());
        MeasuredEngine engine = at(simulated)) {
      TokenTimes times = MeasuredEngine.join(engine.stream(prompts.next(100), 6));

      assertThat(times.tokens()).isEqualTo(6);
      assertThat(times.ttftMillis()).isGreaterThanOrEqualTo(REQUEST_MILLIS + STEP_MILLIS);
      assertThat((times.lastNanos() - times.sentNanos()) / 1e6)
          .isGreaterThanOrEqualTo(REQUEST_MILLIS + 6 * STEP_MILLIS);
    }
  }

  @Test
  void requestsThatAnEngineRejectsOrCutsAreReported() throws IOException {
    try (SimulatedEngine simulated = SimulatedEngine.start(config());
        MeasuredEngine engine = at(simulated)) {
      assertThatThrownBy(() -> MeasuredEngine.join(engine.stream(prompts.next(2000), 1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("The engine answered 400");

      simulated.faults().set(List.of(Fault.parse("error-after=2")));
      assertThatThrownBy(() -> MeasuredEngine.join(engine.stream(prompts.next(10), 5)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("The engine failed");
    }
  }

  private static MeasuredEngine at(SimulatedEngine simulated) {
    return MeasuredEngine.at(simulated.uri(), Optional.empty(), Optional.empty());
  }

  private static SimulatorConfig config() {
    return SimulatorConfig.of(
        new GpuProfile(
            "slow",
            new StepCost(STEP_MILLIS, 0, 0, 0, 0, 0),
            REQUEST_MILLIS,
            1,
            200,
            32,
            512,
            16,
            1024,
            0,
            true));
  }
}
