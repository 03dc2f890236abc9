package io.sluice.worker.app;

import io.sluice.worker.notice.NoticeWatch;
import io.sluice.worker.watchdog.Watchdog;

/** The metrics of what watches over an engine and its machine. */
final class WatchdogMeters {
  private WatchdogMeters() {}

  static void register(WorkerGauges gauges, Watchdog watchdog, NoticeWatch notices) {
    gauges.gauge(
        "engine.degraded",
        "1 if the engine has become worse since its start, else 0",
        watchdog,
        w -> w.isDegraded() ? 1 : 0);
    gauges.gauge(
        "engine.slowdown",
        "Time between tokens as a multiple of that after the engine's start under the same load; 0"
            + " if not known yet",
        watchdog,
        Watchdog::slowdown);
    gauges.gauge(
        "engine.restart.failed",
        "1 if two restarts of the engine in a row have failed and it was not repaired, else 0",
        watchdog,
        w -> w.hasFailed() ? 1 : 0);
    gauges.counter(
        "engine.restarts", "Restarts of the engine by the watchdog", watchdog, Watchdog::restarts);
    gauges.gauge(
        "machine.going",
        "1 if a notice says that the machine is about to go, else 0",
        notices,
        n -> n.isGoing() ? 1 : 0);
  }
}
