package io.sluice.router.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LaneGateTest {
  private static final long MILLI = Duration.ofMillis(1).toNanos();

  private final LaneGate gate = new LaneGate(0);

  @Test
  void requestsWaitWhileManyOutcomesAreUnread() {
    assertThat(gate.opens(LaneGate.FEW, 0)).isTrue();
    assertThat(gate.opens(LaneGate.FEW + 1, MILLI)).isFalse();
    assertThat(gate.opens(LaneGate.FEW + 1, 2 * MILLI)).isFalse();
    assertThat(gate.opens(LaneGate.FEW, 3 * MILLI)).isTrue();
  }

  @Test
  void whoReadsManyOutcomesMayBeBehindByAsManyAsItReadsInAMoment() {
    // Given
    long window = LaneGate.WINDOW.toNanos();
    gate.read(3_000, window / 2);
    boolean before = gate.opens(200, window / 2);

    // When
    gate.read(1_000, window);
    boolean after = gate.opens(200, window);
    boolean beyond = gate.opens(201, window);
    gate.opens(0, window);
    gate.read(0, 2 * window);

    // Then
    assertThat(before).isFalse();
    assertThat(after).isTrue();
    assertThat(beyond).isFalse();
    assertThat(gate.opens(LaneGate.FEW + 1, 2 * window)).isFalse();
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
