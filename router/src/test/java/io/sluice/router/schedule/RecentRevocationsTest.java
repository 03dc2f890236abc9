package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RecentRevocationsTest {
  private final RecentRevocations revocations = new RecentRevocations();

  @Test
  void reportsThatAreReadTogetherCauseOneRevocation() {
    assertThat(revocations.isDue(lease(1), 0)).isTrue();
    assertThat(revocations.isDue(lease(1), 1)).isFalse();
    assertThat(revocations.isDue(lease(2), 1)).isTrue();
  }

  @Test
  void aLaterReportCausesAnother() {
    assertThat(revocations.isDue(lease(1), 0)).isTrue();

    assertThat(revocations.isDue(lease(1), RecentRevocations.REPEATED_AFTER.toNanos())).isTrue();
  }

  @Test
  void itRemembersALimitedNumber() {
    for (int i = 0; i <= 4_096; i++) {
      assertThat(revocations.isDue(lease(i), 0)).isTrue();
    }

    assertThat(revocations.isDue(lease(4_096), Duration.ofMillis(1).toNanos())).isFalse();
    assertThat(revocations.isDue(lease(0), Duration.ofMillis(1).toNanos())).isTrue();
  }

  private static LeaseRef lease(int attempt) {
    return new LeaseRef("r", attempt, "lease-" + attempt, "w1", "boot");
  }
}
