package io.sluice.worker.answer;

import java.time.Duration;

/**
 * How long tokens are gathered into one record.
 *
 * @param first how long the first tokens of an answer wait for others
 * @param interval the shortest time between two records
 * @param bytes tokens of so many bytes leave at once
 */
public record Gathering(Duration first, Duration interval, int bytes) {
  /**
   * Every reader of the stream holds a record or two. Tokens gather beyond this only while the
   * worker is busy, or with many log probabilities.
   */
  private static final int STREAM_BYTES = 32 * 1024;

  /** Together with one more frame of the engine, however large, they still fit into a record. */
  private static final int WHOLE_ANSWER_BYTES = 256 * 1024;

  private static final int EARLIER = 8;

  /** Tokens of a stream: somebody waits for the first ones. */
  public static Gathering ofStream(Duration interval) {
    return new Gathering(Duration.ZERO, interval, STREAM_BYTES);
  }

  /**
   * Tokens of an answer that is not streamed. The first record leaves after an eighth of the
   * interval, because it tells the router that the engine has computed the prompt: until then the
   * router sends the engine less. A short answer has none.
   */
  public static Gathering ofWholeAnswer(Duration interval) {
    return new Gathering(interval.dividedBy(EARLIER), interval, WHOLE_ANSWER_BYTES);
  }

  /** Returns the same, but the first tokens leave at once. */
  public Gathering firstAtOnce() {
    return new Gathering(Duration.ZERO, interval, bytes);
  }
}
