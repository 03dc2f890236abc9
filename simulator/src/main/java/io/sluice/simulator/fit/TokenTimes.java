package io.sluice.simulator.fit;

import java.util.List;

/**
 * The arrival times of the tokens of one streamed answer, as seen by its client.
 *
 * @param sentNanos when the request was sent, on the clock of {@link System#nanoTime}
 * @param frames the frames with tokens, in order; at least one
 */
record TokenTimes(long sentNanos, List<Frame> frames) {

  /**
   * A frame of the stream.
   *
   * @param nanos its arrival time, on the clock of {@link System#nanoTime}
   * @param tokens the number of output tokens up to and including this frame
   */
  record Frame(long nanos, int tokens) {}

  TokenTimes {
    frames = List.copyOf(frames);
    if (frames.isEmpty()) {
      throw new IllegalArgumentException("An answer without tokens has no token times.");
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

  /**
   * Returns the mean time per output token after the first frame; 0 if there are no more frames.
   */
  double tpotMillis() {
    int after = tokens() - frames.getFirst().tokens();
    return after == 0 ? 0 : (lastNanos() - firstNanos()) / 1e6 / after;
  }

  /** Returns the frames between two times, inclusive. */
  List<Frame> between(long fromNanos, long toNanos) {
    return frames.stream()
        .filter(frame -> frame.nanos() >= fromNanos && frame.nanos() <= toNanos)
        .toList();
  }
}
