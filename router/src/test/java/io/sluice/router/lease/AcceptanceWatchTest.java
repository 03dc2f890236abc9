package io.sluice.router.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AcceptanceWatchTest {
  private static final long TAKEN_BACK = Duration.ofMillis(2_100).toNanos();
  private static final long ANSWERED = Duration.ofMillis(3_000).toNanos();

  private final AcceptanceDelays delays = new AcceptanceDelays();
  private final WatchedLeases leases = new WatchedLeases();
  private final AcceptanceWatch watch = new AcceptanceWatch(delays, 0);

  @Test
  void ofMoreLeasesThanAreRememberedThoseThatWereGivenFirstCount() {
    // Given
    List<LeaseRef> takenBack = new ArrayList<>();
    for (int i = 0; i < 1_025; i++) {
      takenBack.add(takeBack("r" + i, "w" + i));
    }

    // When
    watch.reported(takenBack.getFirst(), ANSWERED, ANSWERED);
    watch.reported(takenBack.getLast(), ANSWERED, ANSWERED);

    // Then
    assertThat(delays.limitNanos(takenBack.getFirst(), ANSWERED)).isEqualTo(2 * ANSWERED);
    assertThat(delays.limitNanos(takenBack.getLast(), ANSWERED))
        .isEqualTo(AcceptanceDelays.LEAST.toNanos());
  }

  @Test
  void aLeaseThatIsNeverAnsweredMakesRoomAfterAMinute() {
    // Given
    for (int i = 0; i < 1_024; i++) {
      var _ = takeBack("r" + i, "deaf");
    }
    long later = Duration.ofSeconds(63).toNanos();

    // When
    LeaseRef lease = give("r", "w", later);
    watch.takenBack(leases.of("r").orElseThrow(), later + TAKEN_BACK);
    watch.reported(lease, later + ANSWERED, later + ANSWERED);

    // Then
    assertThat(delays.limitNanos(lease, later + ANSWERED)).isEqualTo(2 * ANSWERED);
  }

  @Test
  void aSecondReportOfALeaseIsNotAnAnswer() {
    // Given
    LeaseRef lease = takeBack("r", "w");

    // When
    watch.reported(lease, ANSWERED, ANSWERED);
    watch.reported(lease, 2 * ANSWERED, 2 * ANSWERED);

    // Then
    assertThat(delays.limitNanos(lease, ANSWERED)).isEqualTo(2 * ANSWERED);
  }

  private LeaseRef takeBack(String request, String worker) {
    LeaseRef lease = give(request, worker, 0);
    watch.takenBack(leases.of(request).orElseThrow(), TAKEN_BACK);
    return lease;
  }

  private LeaseRef give(String request, String worker, long nowNanos) {
    var lease = new LeaseRef(request, 1, request + "-lease", worker, "first");
    leases.give(lease, nowNanos);
    return lease;
  }
}
