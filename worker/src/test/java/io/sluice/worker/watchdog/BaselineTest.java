package io.sluice.worker.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BaselineTest {
  private static final LoadLevel BUSY = new LoadLevel(3, 4, 3);
  private static final LoadLevel LESS = new LoadLevel(3, 4, 2);
  private static final LoadLevel MORE = new LoadLevel(4, 4, 3);

  private final Baseline baseline = new Baseline();

  @Test
  void aLowerLoadThatCameOnlyWithTheSlownessIsComparedWithTheHigherOne() {
    windows(BUSY, 20);

    windows(LESS, 35);

    assertThat(baseline.compare(LESS, 35, 1)).hasValue(1.75);
  }

  @Test
  void aHigherLoadMayTakeLonger() {
    windows(BUSY, 20);
    assertThat(baseline.compare(MORE, 35, 1)).isEmpty();

    windows(MORE, 35);

    assertThat(baseline.compare(MORE, 35, 1)).hasValue(1);
    assertThat(baseline.compare(BUSY, 20, 1)).hasValue(1);
  }

  private void windows(LoadLevel level, double millis) {
    for (int i = 0; i < Baseline.SAMPLES; i++) {
      baseline.compare(level, millis, 1);
    }
  }
}
