package io.sluice.producer.batch;

/** Receives a job's progress. Called from several threads, one at a time. */
public interface BatchProgress {

  /** A listener that does nothing. */
  BatchProgress NONE = (done, total, completionTokens) -> {};

  /**
   * A line is done.
   *
   * @param done lines of the input that are done
   * @param total lines of the input
   * @param completionTokens output tokens of this run so far
   */
  void advanced(long done, long total, long completionTokens);
}
