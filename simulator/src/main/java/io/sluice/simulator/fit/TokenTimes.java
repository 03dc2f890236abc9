package io.sluice.simulator.fit;

import java.util.List;

/**
 * When the tokens of one streamed answer came, as its client saw them.
 *
 * @param sentNanos when the request was sent, on the clock of {@link System#nanoTime}
 * @param frames the frames that brought tokens, in order; at least one
 */
record TokenTimes(long sentNanos, List<Frame> frames) {

  /**
   * A frame of the stream.
   *
   * @param nanos when it came, on the clock of {@link System#nanoTime}
   * @param tokens the output tokens that had come with it and all before it
   */
  record Frame(long nanos, int tokens) {}

  TokenTimes {
    frames = List.copyOf(frames);
    if (frames.isEmpty()) {
      throw new IllegalArgumentException("An answer without a token has no times.");
    }
  }

  long firstNanos() {
    return frames.getFirst().nanos();
  }

  long lastNanos() {
    return frames.getLast().nanos();
  }

  int tokens() {
    return frames.getLast().tokens();
  }

  /** Returns the time to first token. */
  double ttftMillis() {
    return (firstNanos() - sentNanos) / 1e6;
  }

  /** Returns the mean time per output token after the first frame; 0 if nothing came after it. */
  double tpotMillis() {
    int after = tokens() - frames.getFirst().tokens();
    return after == 0 ? 0 : (lastNanos() - firstNanos()) / 1e6 / after;
  }

  /** Returns the frames from one time to another, both included. */
  List<Frame> between(long fromNanos, long toNanos) {
    return frames.stream()
        .filter(frame -> frame.nanos() >= fromNanos && frame.nanos() <= toNanos)
        .toList();
  }
}
