package io.sluice.simulator.fit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The time in which all streams of a batch decode in lockstep and none is in prefill.
 *
 * <p>The noise is measured over stretches of {@value #STRETCH} steps. Single steps are not
 * reliable: a delayed client reads several frames at once, most of them late and the last one
 * early.
 *
 * @param sequences the number of streams
 * @param kvTokens the tokens of all sequences in the middle of the window
 * @param stepMillis the mean time of a step
 * @param stretchesMillis the mean time of a step in each stretch, of all streams
 */
record DecodeWindow(
    int sequences, double kvTokens, double stepMillis, List<Double> stretchesMillis) {

  private static final int STRETCH = 8;

  /** The smallest number of steps of a useful window. */
  private static final int FEWEST_STEPS = 2 * STRETCH;

  /** Five sixths of a normal distribution are below this number of widths above the median. */
  private static final double FIVE_SIXTHS = 0.967;

  /**
   * Returns the window of streams that ran at the same time; empty if they had too few steps in
   * common.
   *
   * @param promptTokens the length of each prompt
   */
  static Optional<DecodeWindow> of(List<TokenTimes> streams, int promptTokens) {
    long from = streams.stream().mapToLong(TokenTimes::firstNanos).max().orElse(0);
    long to = streams.stream().mapToLong(TokenTimes::lastNanos).min().orElse(0);
    List<Double> means = new ArrayList<>();
    List<Double> stretches = new ArrayList<>();
    double kvTokens = 0;
    for (TokenTimes stream : streams) {
      List<TokenTimes.Frame> frames = stream.between(from, to);
      if (frames.isEmpty() || tokens(frames.getFirst(), frames.getLast()) < FEWEST_STEPS) {
        return Optional.empty();
      }
      kvTokens += promptTokens + (frames.getFirst().tokens() + frames.getLast().tokens()) / 2.0;
      means.add(millisPerToken(frames.getFirst(), frames.getLast()));
      addStretches(frames, stretches);
    }
    return Optional.of(
        new DecodeWindow(streams.size(), kvTokens, Statistics.median(means), stretches));
  }

  /**
   * Returns the width of the lognormal noise of single steps: independent steps with this noise
   * would give stretches that scatter like the measured ones. The outer third of the stretches has
   * no weight.
   */
  double noiseSigma() {
    double low = Statistics.quantile(stretchesMillis, 1 / 6.0);
    double high = Statistics.quantile(stretchesMillis, 5 / 6.0);
    return low > 0 ? Math.log(high / low) / 2 / FIVE_SIXTHS * Math.sqrt(STRETCH) : 0;
  }

  private static void addStretches(List<TokenTimes.Frame> frames, List<Double> stretches) {
    TokenTimes.Frame start = frames.getFirst();
    for (TokenTimes.Frame frame : frames) {
      if (tokens(start, frame) >= STRETCH) {
        stretches.add(millisPerToken(start, frame));
        start = frame;
      }
    }
  }

  private static double millisPerToken(TokenTimes.Frame from, TokenTimes.Frame to) {
    return (to.nanos() - from.nanos()) / 1e6 / tokens(from, to);
  }

  private static int tokens(TokenTimes.Frame from, TokenTimes.Frame to) {
    return to.tokens() - from.tokens();
  }
}
