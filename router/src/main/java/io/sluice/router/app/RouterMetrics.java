package io.sluice.router.app;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Priority;
import io.sluice.router.policy.Decision;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.schedule.DispatchEvent;
import io.sluice.router.schedule.SchedulerListener;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The router's counters. Thread-safe. */
final class RouterMetrics implements SchedulerListener {
  private static final Logger log = LoggerFactory.getLogger(RouterMetrics.class);

  private final MeterRegistry registry;
  private final DistributionSummary fitScores;
  private final Counter preventedEvictions;
  private final Map<Priority, Timer> waits = new EnumMap<>(Priority.class);
  private final Map<Priority, Timer> slacks = new EnumMap<>(Priority.class);

  RouterMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.fitScores =
        DistributionSummary.builder("router.fit.score")
            .description("How well prompts fit the memory of the workers they go to, 0 to 1")
            .serviceLevelObjectives(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
            .register(registry);
    this.preventedEvictions =
        Counter.builder("router.evictions.prevented")
            .description("Requests kept from the least loaded worker, where they had not fitted")
            .register(registry);
    for (Priority priority : Priority.values()) {
      waits.put(priority, waits(priority));
      slacks.put(priority, slack(priority));
    }
  }

  @Override
  public void received(RequestMetadata metadata) {
    registry
        .counter(
            "sluice.router.requests",
            "lane",
            metadata.lane(),
            "priority",
            metadata.priority().headerValue())
        .increment();
  }

  @Override
  public void repeated(RequestMetadata metadata) {
    registry.counter("sluice.router.repeats").increment();
  }

  @Override
  public void dispatched(DispatchEvent dispatch) {
    RequestMetadata metadata = dispatch.metadata();
    Decision decision = dispatch.decision();
    registry
        .counter(
            "sluice.router.decisions",
            "worker",
            dispatch.worker(),
            "tier",
            decision.choice().flatMap(choice -> choice.snapshot().tier()).orElse("none"),
            "lane",
            metadata.lane(),
            "reason",
            decision.mainReason(),
            "fallback",
            Boolean.toString(dispatch.fallbackModel().isPresent()),
            "retry",
            Boolean.toString(dispatch.attempt() > 1))
        .increment();
    fitScores.record(decision.fitScore());
    if (decision.preventedEviction()) {
      preventedEvictions.increment();
    }
    long slackMillis = Math.max(0, metadata.deadlineEpochMillis() - dispatch.atEpochMillis());
    requireNonNull(waits.get(metadata.priority()))
        .record(dispatch.waitedMillis(), TimeUnit.MILLISECONDS);
    requireNonNull(slacks.get(metadata.priority())).record(slackMillis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void corrected(RequestMetadata metadata, Set<String> options) {
    options.forEach(
        option -> registry.counter("sluice.router.corrections", "option", option).increment());
    log.info("event=options_left_out request={} options={}", metadata.requestId(), options);
  }

  @Override
  public void requeued(RequestMetadata metadata, String reason) {
    registry
        .counter("sluice.router.requeues", "reason", reason.toLowerCase(Locale.ROOT))
        .increment();
  }

  @Override
  public void answered(RequestMetadata metadata) {
    registry.counter("sluice.router.answers", "lane", metadata.lane()).increment();
  }

  @Override
  public void refused(RequestMetadata metadata, ErrorKind kind) {
    registry.counter("sluice.router.refusals", "code", kind.code()).increment();
  }

  @Override
  public void failed(String at) {
    registry.counter("sluice.router.failures", "at", at).increment();
  }

  private Timer waits(Priority priority) {
    return Timer.builder("sluice.router.wait")
        .description("From a request's append to its assignment")
        .tag("priority", priority.headerValue())
        .serviceLevelObjectives(
            Duration.ofMillis(5),
            Duration.ofMillis(10),
            Duration.ofMillis(25),
            Duration.ofMillis(50),
            Duration.ofMillis(100),
            Duration.ofMillis(250),
            Duration.ofMillis(500),
            Duration.ofSeconds(1),
            Duration.ofSeconds(10))
        .register(registry);
  }

  private Timer slack(Priority priority) {
    return Timer.builder("sluice.router.slack")
        .description("What is left until a request's deadline when it is assigned")
        .tag("priority", priority.headerValue())
        .serviceLevelObjectives(
            Duration.ofMillis(100),
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            Duration.ofSeconds(15),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            Duration.ofMinutes(10),
            Duration.ofHours(1))
        .register(registry);
  }
}
