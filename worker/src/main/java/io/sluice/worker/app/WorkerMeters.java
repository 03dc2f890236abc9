package io.sluice.worker.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micronaut.context.annotation.Requires;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.TraceContext;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.generation.EngineRun;
import io.sluice.worker.generation.GenerationMeter;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.EngineWatch;
import io.sluice.worker.intake.Admission;
import io.sluice.worker.intake.RunningGenerations;
import io.sluice.worker.notice.NoticeWatch;
import io.sluice.worker.resume.Continuation;
import io.sluice.worker.watchdog.Watchdog;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The metrics of a worker. Thread-safe. */
@Requires(beans = WorkerConfig.class)
@Singleton
final class WorkerMeters implements GenerationMeter {
  private static final Duration[] TTFT_BUCKETS =
      Stream.of(10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000)
          .map(Duration::ofMillis)
          .toArray(Duration[]::new);

  private static final Duration[] ITL_BUCKETS =
      Stream.of(5, 10, 25, 50, 75, 100, 150, 200, 300, 500, 1_000)
          .map(Duration::ofMillis)
          .toArray(Duration[]::new);

  private static final double MILLIS_PER_SECOND = 1_000;
  private static final int NO_STATUS = 0;
  private static final int LOWEST_STATUS = 100;
  private static final int HIGHEST_STATUS = 599;

  private final MeterRegistry registry;
  private final String worker;
  private final Timer ttft;
  private final Timer itl;
  private final GenAiMeters genAi;
  private final WorkerInfo info;
  private final Counter tokens;

  WorkerMeters(
      MeterRegistry registry,
      WorkerConfig config,
      EngineMonitor monitor,
      EngineWatch watch,
      RunningGenerations running,
      Admission admission,
      DependencyWatch dependencies,
      Watchdog watchdog,
      NoticeWatch notices) {
    this.registry = registry;
    this.worker = config.id();
    this.ttft =
        Timer.builder(GenAiNames.TTFT)
            .description("Time from the append of a request to its first token")
            .tag("worker", worker)
            .serviceLevelObjectives(TTFT_BUCKETS)
            .register(registry);
    this.itl =
        Timer.builder(GenAiNames.ITL)
            .description("Mean time between two tokens of an answer")
            .tag("worker", worker)
            .serviceLevelObjectives(ITL_BUCKETS)
            .register(registry);
    this.genAi = new GenAiMeters(registry);
    this.info = WorkerInfo.register(registry, config, monitor);
    this.tokens =
        Counter.builder("sluice.worker.tokens")
            .description("Output tokens generated")
            .tag("worker", worker)
            .register(registry);
    var gauges = new WorkerGauges(registry, worker);
    gauges.gauge("running", "Running requests", running, RunningGenerations::count);
    gauges.gauge(
        "slots",
        "Requests that may run at the same time, as the adaptive limit found it",
        admission,
        Admission::slots);
    gauges.gauge(
        "prefill.rate",
        "Prompt tokens that the engine computes per second of prefill; 0 if not known yet",
        watch,
        w -> w.pace().prefillTokensPerSecond());
    gauges.gauge(
        "prefill.backlog",
        "Prompt tokens of the requests that wait for their first token",
        running,
        RunningGenerations::waitingPromptTokens);
    gauges.gauge(
        "inter.token.seconds",
        "Mean time between two tokens of a stream, in seconds; 0 if not known yet",
        watch,
        w -> w.pace().stepMillis() / MILLIS_PER_SECOND);
    for (String name : dependencies.names()) {
      Gauge.builder("sluice.worker.dependency.up", dependencies, d -> d.state(name).isUp() ? 1 : 0)
          .description("1 if the dependency answers, else 0")
          .tag("worker", worker)
          .tag("dependency", name)
          .register(registry);
    }
    gauges.gauge(
        "breaker",
        "State of the circuit breaker: 0 closed, 1 half-open, 2 open",
        admission,
        a -> a.breaker().get().level());
    gauges.gauge(
        "draining",
        "1 if the worker drains and accepts no new requests, else 0",
        admission,
        a -> a.draining().getAsBoolean() ? 1 : 0);
    WatchdogMeters.register(gauges, watchdog, notices);
    EngineMeters.register(gauges, monitor);
    startAtZero();
  }

  /** An increase from nothing is none to Prometheus. */
  private void startAtZero() {
    Stream.of(Outcome.Event.class.getPermittedSubclasses()).forEach(this::outcomes);
    List.of(Outcome.ReturnReason.values()).forEach(this::returned);
    Continuation.WAYS.forEach(this::continuations);
    List.of(FailureCode.values()).forEach(code -> failures(code.code(), NO_STATUS));
    List.of(ErrorKind.values()).forEach(error -> failures(error.code(), NO_STATUS));
  }

  @Override
  public void firstToken(Duration sinceAppend, Optional<TraceContext> trace) {
    TraceExemplars.record(ttft, sinceAppend, trace);
  }

  @Override
  public void tokens(int count) {
    tokens.increment(count);
  }

  @Override
  public void continued(String way) {
    continuations(way).increment();
  }

  @Override
  public void outcome(Outcome outcome) {
    outcomes(outcome.event().getClass()).increment();
    info.refresh();
    switch (outcome.event()) {
      case Outcome.Returned returned -> returned(returned.reason()).increment();
      case Outcome.Failed failed -> failures(failed.code().code(), failed.status()).increment();
      case Outcome.Rejected rejected ->
          failures(rejected.error().code(), rejected.status()).increment();
      default -> {}
    }
  }

  @Override
  public void ran(EngineRun run) {
    genAi.ran(run);
    run.perOutputToken().ifPresent(itl::record);
  }

  private Counter continuations(String way) {
    return counter(
        "continuations",
        "Answers continued after another attempt, by the way they are continued",
        "way",
        way);
  }

  private Counter outcomes(Class<?> event) {
    return counter(
        "outcomes",
        "Outcomes reported to routers, by type",
        "type",
        event.getSimpleName().toLowerCase(Locale.ROOT));
  }

  private Counter returned(Outcome.ReturnReason reason) {
    return counter("returned", "Requests returned to routers, by reason", "reason", reason.code());
  }

  private Counter failures(String code, int status) {
    boolean isStatus = status >= LOWEST_STATUS && status <= HIGHEST_STATUS;
    return Counter.builder("sluice.worker.failures")
        .description("Failed and rejected attempts, by code and the engine's HTTP status")
        .tags("worker", worker, "code", code, "status", isStatus ? "" + status : "none")
        .register(registry);
  }

  private Counter counter(String name, String description, String label, String value) {
    return Counter.builder("sluice.worker." + name)
        .description(description)
        .tag("worker", worker)
        .tag(label, value)
        .register(registry);
  }
}
