package io.sluice.cli.batch;

import io.sluice.config.TextTable;
import io.sluice.producer.batch.BatchReport;
import io.sluice.producer.batch.BatchReport.WorkerShare;
import io.sluice.producer.batch.Percentiles;
import java.util.Locale;
import java.util.Map;

/** A job's report as text. */
public final class BatchReportTable {
  private BatchReportTable() {}

  /** Returns the report as lines, each with its line end. */
  public static String of(BatchReport report) {
    return of(report, Map.of());
  }

  /**
   * Returns the report with the tier of each worker.
   *
   * @param tiers the known tiers, by worker id
   */
  public static String of(BatchReport report, Map<String, String> tiers) {
    TextTable table = new TextTable().left("", "");
    table.row(
        "requests",
        report.requests()
            + " (%d answered, %d failed)".formatted(report.succeeded(), report.failed()));
    if (report.continued() > 0) {
      table.row("", report.continued() + " of them by an earlier run");
    }
    table.row("time", oneDecimal(report.elapsedMillis() / 1000.0) + " s");
    table.row(
        "tokens",
        "%d in, %d out, %s out/s"
            .formatted(
                report.promptTokens(),
                report.completionTokens(),
                oneDecimal(report.tokensPerSecond())));
    table.row("first token", millis(report.firstTokenMillis()));
    table.row("whole answer", millis(report.latencyMillis()));
    return report.workers().isEmpty()
        ? table.toString()
        : table + System.lineSeparator() + workers(report, tiers);
  }

  private static TextTable workers(BatchReport report, Map<String, String> tiers) {
    TextTable table =
        new TextTable()
            .left("worker", "tier", "model")
            .right("requests", "tokens out")
            .left("first token");
    for (WorkerShare share : report.workers()) {
      table.row(
          share.worker(),
          tiers.getOrDefault(share.worker(), "-"),
          share.model() + (share.fallback() ? " (fallback)" : ""),
          share.requests(),
          share.completionTokens(),
          millis(share.firstTokenMillis()));
    }
    return table;
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
