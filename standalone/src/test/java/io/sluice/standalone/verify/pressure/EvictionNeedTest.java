package io.sluice.standalone.verify.pressure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.standalone.verify.pool.PoolWatch.Seen;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class EvictionNeedTest {
  private static final int INTERACTIVE = 3;
  private static final long NOW = Duration.ofSeconds(100).toNanos();

  @Test
  void bulkThatStaysInAFullEngineHasToBeEvicted() {
    assertThat(need(4, 0.9, Duration.ofSeconds(5)).isSeen()).isTrue();
  }

  @Test
  void bulkThatIsNearlyDoneMayStay() {
    assertThat(need(4, 0.9, Duration.ofSeconds(1), Duration.ofSeconds(9)).isSeen()).isFalse();
  }

  @Test
  void bulkThatHasEndedIsNotInTheWay() {
    assertThat(need(4, 0.9, Duration.ofSeconds(-1)).isSeen()).isFalse();
  }

  /** The rest waits in the router. */
  @Test
  void aReportMayStillShowBulkThatHasJustEnded() {
    assertThat(need(5, 0.9, Duration.ofMillis(-300), Duration.ofSeconds(9)).isSeen()).isFalse();
  }

  @Test
  void anEngineWithRoomNeedsNoEviction() {
    assertThat(need(4, 0.7, Duration.ofSeconds(5)).isSeen()).isFalse();
  }

  @Test
  void interactiveRequestsAloneMayFillTheEngine() {
    assertThat(need(INTERACTIVE, 0.9, Duration.ofSeconds(5)).isSeen()).isFalse();
  }

  private static EvictionNeed need(int running, double kvUsage, Duration... bulkEndsIn) {
    return new EvictionNeed(
        List.of(new Seen<>(NOW, FiguresCheckTest.snapshot(running, kvUsage, 0))),
        List.of(bulkEndsIn).stream().map(left -> NOW + left.toNanos()).toList(),
        INTERACTIVE);
  }
}
