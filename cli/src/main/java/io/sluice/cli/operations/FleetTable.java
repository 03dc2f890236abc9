package io.sluice.cli.operations;

import io.sluice.config.TextTable;
import io.sluice.fleet.peers.RouterReport;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** The state of the fleet as text. */
final class FleetTable {
  private FleetTable() {}

  /** Returns a heading and a line per worker. */
  static String workers(FleetStatus fleet) {
    TextTable table =
        new TextTable()
            .left("worker", "tier", "model")
            .right("KV", "running", "waiting", "held", "tok/s")
            .left("state", "breaker");
    for (WorkerStatus worker : fleet.workers()) {
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
    if (fleet.backlog().isEmpty()) {
      return "nothing waits" + System.lineSeparator();
    }
    TextTable table = new TextTable().left("lane", "priority").right("waiting", "tokens");
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
