package io.sluice.cli.operations;

import io.sluice.cli.TextTable;
import io.sluice.fleet.peers.RouterReport;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** The state of the fleet as text. */
final class FleetTable {
  private static final String WORKERS = "%-20s %-10s %-18s %6s %7s %7s %9s %8s  %-11s  %s";
  private static final String BACKLOG = "%-8s %-12s %9s %12s";

  private FleetTable() {}

  /** Returns a heading and a line per worker. */
  static String workers(FleetStatus fleet) {
    TextTable table = new TextTable(WORKERS);
    table.row(
        "worker", "tier", "model", "KV", "running", "waiting", "held", "tok/s", "state", "breaker");
    for (FleetStatus.Worker worker : fleet.workers()) {
      table.row(
          worker.id(),
          worker.tier().orElse("-"),
          worker.models().stream().findFirst().orElse("-"),
          percent(worker.kvUsage()),
          whole(worker.running()),
          whole(worker.waiting()),
          worker.held() + "/" + worker.slots(),
          whole(worker.tokensPerSecond()),
          worker.state(),
          worker.breaker());
    }
    return table.toString();
  }

  /** Returns a heading and a line per lane and priority with waiting requests. */
  static String backlog(FleetStatus fleet) {
    TextTable table = new TextTable(BACKLOG);
    if (fleet.backlog().isEmpty()) {
      return table.line("nothing waits").toString();
    }
    table.row("lane", "priority", "waiting", "tokens");
    for (RouterReport.Waiting waiting : fleet.backlog()) {
      table.row(
          waiting.lane(), waiting.priority().headerValue(), waiting.requests(), waiting.tokens());
    }
    return table.toString();
  }

  private static String percent(OptionalDouble share) {
    return share.isPresent()
        ? String.format(Locale.ROOT, "%.0f %%", share.getAsDouble() * 100)
        : "-";
  }

  private static String whole(OptionalInt value) {
    return value.isPresent() ? Integer.toString(value.getAsInt()) : "-";
  }

  private static String whole(OptionalDouble value) {
    return value.isPresent() ? String.format(Locale.ROOT, "%.0f", value.getAsDouble()) : "-";
  }
}
