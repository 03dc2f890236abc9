package io.sluice.router.app;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.common.metrics.BoundedNames;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.common.protocol.Priority;
import io.sluice.router.classify.EngineOptions;
import io.sluice.router.lease.LeaseWatch;
import io.sluice.router.policy.Decision;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.schedule.task.DispatchEvent;
import io.sluice.router.schedule.task.SchedulerListener;
import io.sluice.router.stream.RouterTopology;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The counters and timers of the scheduler. Thread-safe. */
final class RouterMetrics implements SchedulerListener {
  private static final Logger log = LoggerFactory.getLogger(RouterMetrics.class);

  /** Adapters count as models, and engines may load any number of them. */
  private static final int MOST_MODELS = 50;

  private final MeterRegistry registry;
  private final BoundedNames models = new BoundedNames(MOST_MODELS);
  private final TenantMetrics tenants;
  private final DistributionSummary fitScores;
  private final Counter preventedEvictions;
  private final Counter unreadable;
  private final Timer prefixWaits;
  private final Map<Priority, Timer> waits = new EnumMap<>(Priority.class);
  private final Map<Priority, Timer> slacks = new EnumMap<>(Priority.class);

  /**
   * Registers the metrics. Counters whose labels are known start at zero, because an increase from
   * nothing is none to Prometheus.
   */
  RouterMetrics(MeterRegistry registry, Lanes lanes) {
    this.registry = registry;
    this.tenants = new TenantMetrics(registry);
    this.fitScores =
        DistributionSummary.builder("sluice.router.fit.score")
            .description("How well prompts fit the memory of their workers, from 0 to 1")
            .serviceLevelObjectives(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
            .register(registry);
    this.preventedEvictions =
        Counter.builder("sluice.router.evictions.prevented")
            .description(
                "Requests that avoided the least loaded worker because their prompt did not fit its memory")
            .register(registry);
    this.unreadable =
        counter(
            "sluice.router.unreadable",
            "Stored values that a starting task could not read; their requests are not answered");
    this.prefixWaits =
        Timer.builder("sluice.router.prefix.wait")
            .description(
                "Time for which requests that could be assigned waited for a worker that had their prompt cached")
            .register(registry);
    for (Priority priority : Priority.values()) {
      waits.put(priority, waits(priority));
      slacks.put(priority, slack(priority));
    }
    startAtZero(lanes);
  }

  private void startAtZero(Lanes lanes) {
    repeats();
    for (Lane lane : lanes.all()) {
      answers(lane.name());
      for (Priority priority : Priority.values()) {
        requests(lane.name(), priority);
      }
    }
    failures(TICK);
    RouterTopology.inputs(lanes).forEach(this::failures);
    List.of(ErrorKind.values()).forEach(this::refusals);
    EngineOptions.correctable().forEach(this::corrections);
    Stream.of(ReturnReason.values()).map(ReturnReason::code).forEach(this::requeues);
    Stream.of(FailureCode.values()).map(FailureCode::code).forEach(this::requeues);
    Stream.of(LeaseWatch.Verdict.values()).map(LeaseWatch.Verdict::code).forEach(this::requeues);
  }

  @Override
  public void received(RequestMetadata metadata) {
    requests(metadata.lane(), metadata.priority()).increment();
  }

  @Override
  public void repeated(RequestMetadata metadata) {
    repeats().increment();
  }

  @Override
  public void dispatched(DispatchEvent dispatch) {
    RequestMetadata metadata = dispatch.metadata();
    Decision decision = dispatch.decision();
    counter(
            "sluice.router.decisions",
            "Dispatches of requests to workers",
            "worker",
            dispatch.worker(),
            "tier",
            decision.choice().flatMap(choice -> choice.snapshot().tier()).orElse("none"),
            "model",
            models.of(dispatch.fallbackModel().orElse(metadata.model())),
            "lane",
            metadata.lane(),
            "reason",
            decision.mainReason(),
            "fallback",
            Boolean.toString(dispatch.fallbackModel().isPresent()),
            "retry",
            Boolean.toString(dispatch.attempt() > 1))
        .increment();
    tenants.assigned(metadata.tenant(), metadata.contextTokens(), dispatch.waitedMillis());
    fitScores.record(decision.fitScore());
    if (decision.preventedEviction()) {
      preventedEvictions.increment();
    }
    if (dispatch.prefixWaitMillis() > 0) {
      prefixWaits.record(dispatch.prefixWaitMillis(), TimeUnit.MILLISECONDS);
    }
    long slackMillis = Math.max(0, metadata.deadlineEpochMillis() - dispatch.atEpochMillis());
    requireNonNull(waits.get(metadata.priority()))
        .record(dispatch.waitedMillis(), TimeUnit.MILLISECONDS);
    requireNonNull(slacks.get(metadata.priority())).record(slackMillis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void corrected(RequestMetadata metadata, Set<String> options) {
    options.forEach(option -> corrections(option).increment());
    log.info("event=options_left_out request={} options={}", metadata.requestId(), options);
  }

  @Override
  public void requeued(RequestMetadata metadata, String reason) {
    requeues(reason).increment();
  }

  @Override
  public void answered(RequestMetadata metadata) {
    answers(metadata.lane()).increment();
  }

  @Override
  public void refused(RequestMetadata metadata, ErrorKind kind) {
    refusals(kind).increment();
  }

  @Override
  public void unreadable(int values) {
    unreadable.increment(values);
  }

  @Override
  public void failed(String at) {
    failures(at).increment();
  }

  private Counter requests(String lane, Priority priority) {
    return counter(
        "sluice.router.requests",
        "Requests that arrived",
        "lane",
        lane,
        "priority",
        priority.headerValue());
  }

  private Counter corrections(String option) {
    return counter(
        "sluice.router.corrections",
        "Options removed from requests because every engine of the model refuses them",
        "option",
        option);
  }

  private Counter repeats() {
    return counter(
        "sluice.router.repeats", "Repeated or redelivered requests, which are not run again");
  }

  private Counter answers(String lane) {
    return counter("sluice.router.answers", "Requests that a worker answered", "lane", lane);
  }

  private Counter refusals(ErrorKind kind) {
    return counter(
        "sluice.router.refusals",
        "Requests that the router answered with an error",
        "code",
        kind.code());
  }

  private Counter requeues(String reason) {
    return counter(
        "sluice.router.requeues",
        "Leases that ended without an answer, so that the request waits again",
        "reason",
        reason);
  }

  private Counter failures(String at) {
    return counter("sluice.router.failures", "Failures of the router's own code", "at", at);
  }

  private Counter counter(String name, String help, String... tags) {
    return Counter.builder(name).description(help).tags(tags).register(registry);
  }

  private Timer waits(Priority priority) {
    return Timer.builder("sluice.router.wait")
        .description("Time from the append of a request to its assignment")
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
        .description("Time left until the deadline of a request when it is assigned")
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
