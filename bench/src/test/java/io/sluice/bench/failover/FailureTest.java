package io.sluice.bench.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class FailureTest {
  @Test
  void labelsAreThoseOfTheTortureTest() {
    assertThat(List.of(Failure.values()))
        .extracting(Failure::label)
        .startsWith("none", "kill -9 worker")
        .contains("freeze engine", "restart router")
        .doesNotHaveDuplicates();
  }

  @Test
  void allFailuresAreWantedIfNoneIsNamed() {
    assertThat(Failure.containing(List.of())).containsExactly(Failure.values());
  }

  @Test
  void textsSelectFailuresAndTheBaselineIsAlwaysMeasured() {
    assertThat(Failure.containing(List.of("freeze", "kill -9 worker")))
        .containsExactly(
            Failure.NONE,
            Failure.KILL_WORKER,
            Failure.FREEZE_WORKER,
            Failure.FREEZE_ENGINE,
            Failure.FREEZE_ROUTER);
  }

  @Test
  void aTextThatIsInNoLabelIsRefused() {
    assertThatThrownBy(() -> Failure.containing(List.of("kill -9 worker", "flood")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'flood'")
        .hasMessageContaining("kill -9 redis");
  }
}
