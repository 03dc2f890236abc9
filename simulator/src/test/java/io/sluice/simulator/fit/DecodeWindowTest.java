package io.sluice.simulator.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecodeWindowTest {

  @Test
  void onlyTheTimeInWhichAllStreamsDecodeCounts() {
    // The second stream begins at 100 ms; until then the steps of the first one take twice as long.
    TokenTimes first = stream(times(0, 20, 5, 10, 40));
    TokenTimes second = stream(times(100, 10, 20, 10, 20));

    DecodeWindow window = DecodeWindow.of(List.of(first, second), 100).orElseThrow();

    assertThat(window.stepMillis()).isCloseTo(10, within(1e-9));
    assertThat(window.sequences()).isEqualTo(2);
    assertThat(window.kvTokens()).isBetween(240.0, 250.0);
  }

  @Test
  void aFrameOfSeveralTokensCountsAsThatManySteps() {
    List<TokenTimes.Frame> frames = new ArrayList<>();
    for (int tokens = 1; tokens < 40; tokens += 3) {
      frames.add(new TokenTimes.Frame(tokens * 8_000_000L, tokens));
    }

    DecodeWindow window = DecodeWindow.of(List.of(new TokenTimes(0, frames)), 1).orElseThrow();

    assertThat(window.stepMillis()).isCloseTo(8, within(1e-9));
    assertThat(window.noiseSigma()).isZero();
  }

  @Test
  void streamsThatShareHardlyAnyStepsHaveNoWindow() {
    TokenTimes early = stream(times(0, 10, 10, 10, 0));
    TokenTimes late = stream(times(80, 10, 30, 10, 0));

    assertThat(DecodeWindow.of(List.of(early, late), 100)).isEmpty();
  }

  @Test
  void noiseIsTheWidthOfTheMainPartAndInterruptionsAffectTheMeanOnly() {
    List<TokenTimes.Frame> frames = new ArrayList<>();
    java.util.Random random = new java.util.Random(3);
    double at = 0;
    for (int tokens = 1; tokens <= 5000; tokens++) {
      frames.add(new TokenTimes.Frame((long) (at * 1e6), tokens));
      at += 10 * Math.exp(0.1 * random.nextGaussian()) + (tokens % 100 == 0 ? 300 : 0);
    }

    DecodeWindow window = DecodeWindow.of(List.of(new TokenTimes(0, frames)), 1).orElseThrow();

    assertThat(window.noiseSigma()).isCloseTo(0.1, within(0.02));
    assertThat(window.stepMillis()).isCloseTo(13.05, within(0.15));
  }

  /**
   * Returns times from a start: a number of gaps of one length, then a number of another length.
   */
  private static List<Long> times(
      int startMillis, int gapMillis, int count, int nextGapMillis, int nextCount) {
    List<Long> times = new ArrayList<>(List.of(startMillis * 1_000_000L));
    for (int i = 0; i < count + nextCount; i++) {
      times.add(times.getLast() + (i < count ? gapMillis : nextGapMillis) * 1_000_000L);
    }
    return times;
  }

  private static TokenTimes stream(List<Long> times) {
    List<TokenTimes.Frame> frames = new ArrayList<>();
    times.forEach(nanos -> frames.add(new TokenTimes.Frame(nanos, frames.size() + 1)));
    return new TokenTimes(0, frames);
  }
}
