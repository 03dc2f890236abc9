package io.sluice.producer.batch;

import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.util.List;

/**
 * The result of a batch job.
 *
 * @param requests lines of the input that are requests, valid or not
 * @param succeeded requests answered, by this run or an earlier one
 * @param failed requests not answered, by this run or an earlier one
 * @param continued how many of all these were settled by an earlier run
 * @param isComplete whether all lines of the input are done
 * @param tokensPerSecond output tokens of this run divided by its elapsed time
 * @param firstTokenMillis TTFT of this run's streamed requests, from their append time
 * @param latencyMillis latency of this run's answers, from append time to end
 * @param workers the workers that answered, busiest first
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
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

  /** The answers of one worker with one model. */
  public record WorkerShare(
      String worker,
      String model,
      boolean fallback,
      long requests,
      long completionTokens,
      Percentiles firstTokenMillis) {}

  /** Returns whether every request of the input has an answer. */
  public boolean isAllAnswered() {
    return isComplete && failed == 0;
  }
}
