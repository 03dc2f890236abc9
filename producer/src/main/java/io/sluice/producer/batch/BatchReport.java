package io.sluice.producer.batch;

import java.util.List;

/**
 * What became of a batch job.
 *
 * @param requests lines of the input that ask for something, well or badly
 * @param succeeded answered, by this run or an earlier one
 * @param failed not answered, by this run or an earlier one
 * @param continued of all these, how many were settled by an earlier run
 * @param isComplete whether every line of the input was dealt with
 * @param tokensPerSecond output tokens of this run over its elapsed time
 * @param firstTokenMillis TTFT of this run's streamed requests, from their append time
 * @param latencyMillis of this run's answers, from append time to end
 * @param workers who answered, busiest first
 */
public record BatchReport(
    long requests,
    long succeeded,
    long failed,
    long continued,
    boolean isComplete,
    long elapsedMillis,
    long promptTokens,
    long completionTokens,
    double tokensPerSecond,
    Percentiles firstTokenMillis,
    Percentiles latencyMillis,
    List<WorkerShare> workers) {

  /** What one worker answered with one model. */
  public record WorkerShare(
      String worker,
      String model,
      boolean fallback,
      long requests,
      long completionTokens,
      Percentiles firstTokenMillis) {}

  /** Whether every request of the input has its answer. */
  public boolean isAllAnswered() {
    return isComplete && failed == 0;
  }
}
