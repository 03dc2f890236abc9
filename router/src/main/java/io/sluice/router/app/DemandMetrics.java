package io.sluice.router.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.sluice.fleet.peers.RouterReport.Demand;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * What the open requests of this router ask of workers, by model, tier and kind of traffic. Models
 * that no worker serves any longer, and that no request asks for, have no series. Thread-safe.
 */
final class DemandMetrics implements Consumer<List<Demand>> {
  private final MultiGauge backlog;
  private final MultiGauge running;
  private final MultiGauge slack;
  private final MultiGauge drain;
  private final MultiGauge needed;

  /** Registers the metrics; their series follow with the first demand. */
  DemandMetrics(MeterRegistry registry) {
    this.backlog =
        MultiGauge.builder("sluice.router.backlog.tokens")
            .description(
                "Prompt and output tokens of the requests that wait for a worker, including parked bulk")
            .baseUnit("tokens")
            .register(registry);
    this.running =
        MultiGauge.builder("sluice.router.running.tokens")
            .description("Prompt and output tokens of the requests that workers have")
            .baseUnit("tokens")
            .register(registry);
    this.slack =
        MultiGauge.builder("sluice.router.backlog.slack")
            .description(
                "Time until the earliest deadline of a waiting request; NaN if no request waits")
            .baseUnit("seconds")
            .register(registry);
    this.drain =
        MultiGauge.builder("sluice.router.backlog.drain")
            .description(
                "Time to answer all waiting requests at the speed of the last minute; NaN if no request was answered")
            .baseUnit("seconds")
            .register(registry);
    this.needed =
        MultiGauge.builder("sluice.router.needed.speed")
            .description("Tokens per second at which all open requests end by their deadlines")
            .register(registry);
  }

  @Override
  public void accept(List<Demand> demand) {
    set(backlog, demand, Demand::waitingTokens);
    set(running, demand, Demand::runningTokens);
    set(
        slack,
        demand,
        of -> of.slackMillis().isEmpty() ? Double.NaN : of.slackMillis().getAsLong() / 1e3);
    set(drain, demand, of -> of.drainSeconds().orElse(Double.NaN));
    set(needed, demand, Demand::neededTokensPerSecond);
  }

  private static void set(MultiGauge gauge, List<Demand> demand, ToDoubleFunction<Demand> figure) {
    gauge.register(
        demand.stream().<Row<?>>map(of -> Row.of(tags(of), figure.applyAsDouble(of))).toList(),
        true);
  }

  private static Tags tags(Demand demand) {
    return Tags.of(
        "model",
        demand.model(),
        "tier",
        demand.tier(),
        "kind",
        demand.bulk() ? "bulk" : "interactive");
  }
}
