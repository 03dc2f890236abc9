package io.sluice.router.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LaneGateTest {
  private static final long MILLI = Duration.ofMillis(1).toNanos();

  private final LaneGate gate = new LaneGate();

  @Test
  void requestsWaitWhileManyOutcomesAreUnread() {
    assertThat(gate.opens(LaneGate.MOST_BEHIND, 0)).isTrue();
    assertThat(gate.opens(LaneGate.MOST_BEHIND + 1, MILLI)).isFalse();
    assertThat(gate.opens(LaneGate.MOST_BEHIND + 1, 2 * MILLI)).isFalse();
    assertThat(gate.opens(LaneGate.MOST_BEHIND, 3 * MILLI)).isTrue();
  }

  @Test
  void requestsDoNotWaitForEver() {
    // Given
    long start = -7 * MILLI;
    boolean first = gate.opens(1_000, start);

    // When
    boolean before = gate.opens(1_000, start + LaneGate.CLOSED_AT_MOST.toNanos() - 1);
    boolean then = gate.opens(1_000, start + LaneGate.CLOSED_AT_MOST.toNanos());
    boolean afterOnePoll = gate.opens(1_000, start + LaneGate.CLOSED_AT_MOST.toNanos() + 1);

    // Then
    assertThat(first).isFalse();
    assertThat(before).isFalse();
    assertThat(then).isTrue();
    assertThat(afterOnePoll).isFalse();
  }
}
