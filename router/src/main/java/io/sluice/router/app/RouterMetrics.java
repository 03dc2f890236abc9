package io.sluice.router.app;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.policy.Decision;
import io.sluice.router.schedule.RequestFacts;
import io.sluice.router.schedule.SchedulerListener;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The router's counters. Thread-safe. */
final class RouterMetrics implements SchedulerListener {
  private static final Logger log = LoggerFactory.getLogger(RouterMetrics.class);

  private final MeterRegistry registry;

  RouterMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void received(RequestFacts facts) {
    registry
        .counter(
            "sluice.router.requests",
            "lane",
            facts.lane(),
            "priority",
            facts.priority().headerValue())
        .increment();
  }

  @Override
  public void repeated(RequestFacts facts) {
    registry.counter("sluice.router.repeats").increment();
  }

  @Override
  public void assigned(RequestFacts facts, String worker, int attempt, long waitedMillis) {
    registry
        .counter(
            "sluice.router.assignments",
            "worker",
            worker,
            "lane",
            facts.lane(),
            "retry",
            Boolean.toString(attempt > 1))
        .increment();
    waits(facts).record(waitedMillis, TimeUnit.MILLISECONDS);
    long assignedMillis = facts.appendTimeMillis() + waitedMillis;
    slack(facts)
        .record(Math.max(0, facts.deadlineEpochMillis() - assignedMillis), TimeUnit.MILLISECONDS);
  }

  @Override
  public void fellBack(RequestFacts facts, String fallbackModel) {
    registry.counter("sluice.router.fallbacks", "model", fallbackModel).increment();
  }

  @Override
  public void corrected(RequestFacts facts, Set<String> options) {
    options.forEach(
        option -> registry.counter("sluice.router.corrections", "option", option).increment());
    log.info("event=options_left_out request={} options={}", facts.requestId(), options);
  }

  @Override
  public void decided(RequestFacts facts, Decision decision) {
    registry
        .counter(
            "sluice.router.decisions",
            "worker",
            decision.chosen().orElse(""),
            "tier",
            decision.choice().flatMap(choice -> choice.snapshot().tier()).orElse("none"),
            "lane",
            facts.lane(),
            "reason",
            decision.mainReason())
        .increment();
    DistributionSummary.builder("router.fit.score")
        .description("How well prompts fit the memory of the workers they go to, 0 to 1")
        .serviceLevelObjectives(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
        .register(registry)
        .record(decision.fitScore());
    if (decision.preventedEviction()) {
      registry.counter("router.evictions.prevented").increment();
    }
  }

  @Override
  public void requeued(RequestFacts facts, String reason) {
    registry
        .counter("sluice.router.requeues", "reason", reason.toLowerCase(Locale.ROOT))
        .increment();
  }

  @Override
  public void answered(RequestFacts facts) {
    registry.counter("sluice.router.answers", "lane", facts.lane()).increment();
  }

  @Override
  public void refused(RequestFacts facts, ErrorKind kind) {
    registry.counter("sluice.router.refusals", "code", kind.code()).increment();
  }

  private Timer waits(RequestFacts facts) {
    return Timer.builder("sluice.router.wait")
        .description("From a request's append to its assignment")
        .tag("priority", facts.priority().headerValue())
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

  private Timer slack(RequestFacts facts) {
    return Timer.builder("sluice.router.slack")
        .description("What is left until a request's deadline when it is assigned")
        .tag("priority", facts.priority().headerValue())
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
