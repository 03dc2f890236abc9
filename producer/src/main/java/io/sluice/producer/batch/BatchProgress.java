package io.sluice.producer.batch;

/** Hears how a job gets on; called from several threads, one at a time. */
public interface BatchProgress {

  /** Nobody listens. */
  BatchProgress NONE = (done, total, completionTokens) -> {};

  /**
   * A line is done.
   *
   * @param done lines of the input that are dealt with
   * @param total lines of the input
   * @param completionTokens output tokens of this run so far
   */
  void advanced(long done, long total, long completionTokens);
}
