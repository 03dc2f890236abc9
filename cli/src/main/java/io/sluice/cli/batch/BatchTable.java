package io.sluice.cli.batch;

import io.sluice.producer.batch.BatchReport;
import io.sluice.producer.batch.BatchReport.WorkerShare;
import io.sluice.producer.batch.Percentiles;
import java.util.Locale;
import java.util.Map;

/** A job's report as people read it. */
public final class BatchTable {
  private static final String WORKERS = "%-24s %-10s %-24s %9s %12s  %s%n";

  private BatchTable() {}

  /** The report in lines, each with its end. */
  public static String of(BatchReport report) {
    return of(report, Map.of());
  }

  /**
   * The same, with the tier of each worker.
   *
   * @param tiers by worker id, as far as they are known
   */
  public static String of(BatchReport report, Map<String, String> tiers) {
    StringBuilder table = new StringBuilder();
    row(
        table,
        "requests",
        report.requests()
            + " (%d answered, %d failed)".formatted(report.succeeded(), report.failed()));
    if (report.continued() > 0) {
      row(table, "", report.continued() + " of them by an earlier run");
    }
    row(table, "time", oneDecimal(report.elapsedMillis() / 1000.0) + " s");
    row(
        table,
        "tokens",
        "%d in, %d out, %s out/s"
            .formatted(
                report.promptTokens(),
                report.completionTokens(),
                oneDecimal(report.tokensPerSecond())));
    row(table, "first token", millis(report.firstTokenMillis()));
    row(table, "whole answer", millis(report.latencyMillis()));
    if (!report.workers().isEmpty()) {
      appendWorkers(table, report, tiers);
    }
    return table.toString();
  }

  private static void appendWorkers(
      StringBuilder table, BatchReport report, Map<String, String> tiers) {
    table.append(System.lineSeparator());
    table.append(
        WORKERS.formatted("worker", "tier", "model", "requests", "tokens out", "first token"));
    for (WorkerShare share : report.workers()) {
      table.append(
          WORKERS.formatted(
              share.worker(),
              tiers.getOrDefault(share.worker(), "-"),
              share.model() + (share.fallback() ? " (fallback)" : ""),
              share.requests(),
              share.completionTokens(),
              millis(share.firstTokenMillis())));
    }
  }

  private static void row(StringBuilder table, String name, String value) {
    table.append("%-13s %s%n".formatted(name, value));
  }

  private static String oneDecimal(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static String millis(Percentiles measured) {
    return measured.count() == 0
        ? "-"
        : "p50 %d ms, p95 %d ms".formatted(measured.p50(), measured.p95());
  }
}
