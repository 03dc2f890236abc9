package io.sluice.producer.batch;

import io.sluice.producer.batch.BatchReport.WorkerShare;
import io.sluice.producer.reply.Answer;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The counts of a running job. Thread-safe. */
final class Tally {
  private record Server(String worker, String model, boolean fallback) {}

  private static final class Share {
    private final Samples firstTokenMillis = new Samples();
    private long requests;
    private long completionTokens;
  }

  private final Map<Server, Share> shares = new LinkedHashMap<>();
  private final Samples firstTokenMillis = new Samples();
  private final Samples latencyMillis = new Samples();
  private long succeeded;
  private long failed;
  private long continued;
  private long promptTokens;
  private long completionTokens;

  synchronized void answered(Answer answer, boolean isStreamed) {
    succeeded++;
    promptTokens += answer.usage().promptTokens();
    completionTokens += answer.usage().completionTokens();
    answer.latencyMillis().ifPresent(latencyMillis::add);
    Share share =
        shares.computeIfAbsent(
            new Server(
                answer.worker().orElse("unknown"),
                answer.model().orElse("unknown"),
                answer.fallback()),
            server -> new Share());
    share.requests++;
    share.completionTokens += answer.usage().completionTokens();
    if (isStreamed && answer.firstTokenMillis().isPresent()) {
      firstTokenMillis.add(answer.firstTokenMillis().getAsLong());
      share.firstTokenMillis.add(answer.firstTokenMillis().getAsLong());
    }
  }

  synchronized void failed() {
    failed++;
  }

  /** Counts a line that an earlier run has settled. */
  synchronized void continued(boolean isSuccess) {
    continued++;
    if (isSuccess) {
      succeeded++;
    } else {
      failed++;
    }
  }

  synchronized long done() {
    return succeeded + failed;
  }

  synchronized long completionTokens() {
    return completionTokens;
  }

  synchronized BatchReport report(boolean isComplete, long elapsedMillis) {
    List<WorkerShare> workers =
        shares.entrySet().stream()
            .map(
                entry ->
                    new WorkerShare(
                        entry.getKey().worker(),
                        entry.getKey().model(),
                        entry.getKey().fallback(),
                        entry.getValue().requests,
                        entry.getValue().completionTokens,
                        entry.getValue().firstTokenMillis.percentiles()))
            .sorted(Comparator.comparingLong(WorkerShare::requests).reversed())
            .toList();
    return BatchReportBuilder.builder()
        .requests(succeeded + failed)
        .succeeded(succeeded)
        .failed(failed)
        .continued(continued)
        .isComplete(isComplete)
        .elapsedMillis(elapsedMillis)
        .promptTokens(promptTokens)
        .completionTokens(completionTokens)
        .tokensPerSecond(elapsedMillis == 0 ? 0 : completionTokens * 1000.0 / elapsedMillis)
        .firstTokenMillis(firstTokenMillis.percentiles())
        .latencyMillis(latencyMillis.percentiles())
        .workers(workers)
        .build();
  }
}
