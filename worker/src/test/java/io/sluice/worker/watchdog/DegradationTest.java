package io.sluice.worker.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.worker.health.EngineTotals;
import java.time.Duration;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** What needs no traffic. {@link DegradationSimulationTest} has the rest. */
class DegradationTest {
  private final Degradation degradation = new Degradation();

  @Test
  void anIdleEngineWhoseMemoryStaysFullHasLostIt() {
    windows(29, 0, 0.9);
    assertThat(degradation.symptom()).isEmpty();

    windows(1, 0, 0.9);

    assertThat(degradation.symptom()).contains(Symptom.LEAKED_MEMORY);
  }

  @Test
  void aFullMemoryInUseIsNotASign() {
    windows(100, 3, 0.95);

    assertThat(degradation.symptom()).isEmpty();
  }

  @Test
  void anIdleEngineThatKeepsSomethingIsLeftAlone() {
    windows(100, 0, 0.87);

    assertThat(degradation.symptom()).isEmpty();
  }

  private void windows(int count, double requests, double kvUsage) {
    for (int i = 0; i < count; i++) {
      degradation.observe(
          new EngineWindow(
              Duration.ofSeconds(30),
              requests,
              0,
              false,
              OptionalDouble.of(kvUsage),
              EngineTotals.UNKNOWN));
    }
  }
}
