package io.sluice.gateway.batch.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaceTest {
  private static final Duration DAY = Duration.ofHours(24);
  private static final int PART_RECORD_BYTES = 50;

  @Test
  void fewPartsAreStoredAndShownSoon() {
    assertThat(Pace.STANDARD.storedWithin(0)).isEqualTo(Duration.ofSeconds(30));
    assertThat(Pace.STANDARD.storedWithin(15)).isEqualTo(Duration.ofSeconds(30));
    assertThat(Pace.STANDARD.shownWithin(600)).isEqualTo(Duration.ofSeconds(1));
    assertThat(Pace.STANDARD.shownWithin(10_000)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aBatchThatTricklesForADayHasFewPartsAndWritesLittle() {
    // Given a batch that has both answers and errors all the time
    Duration stored = Duration.ZERO;
    Duration shown = Duration.ZERO;
    int parts = 0;
    long written = 0;

    // When
    while (shown.compareTo(DAY) < 0) {
      long recordBytes = 600 + (long) parts * PART_RECORD_BYTES;
      shown = shown.plus(Pace.STANDARD.shownWithin(recordBytes));
      written += recordBytes;
      if (shown.minus(stored).compareTo(Pace.STANDARD.storedWithin(parts)) >= 0) {
        stored = shown;
        parts += 2;
      }
    }

    // Then
    assertThat(parts).isBetween(350, 450);
    assertThat(Pace.STANDARD.storedWithin(parts)).isLessThan(Duration.ofMinutes(15));
    assertThat(written).isLessThan(10_000 * DAY.toSeconds());
  }
}
