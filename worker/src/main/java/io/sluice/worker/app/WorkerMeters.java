package io.sluice.worker.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micronaut.context.annotation.Requires;
import io.sluice.common.dependency.DependencyWatch;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.TraceContext;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.generation.GenerationMeter;
import io.sluice.worker.health.EngineCount;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.EngineWatch;
import io.sluice.worker.intake.Admission;
import io.sluice.worker.intake.RunningGenerations;
import io.sluice.worker.resume.Continuation;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** The metrics of a worker. Thread-safe. */
@Requires(beans = WorkerConfig.class)
@Singleton
final class WorkerMeters implements GenerationMeter {
  private static final Duration[] TTFT_BUCKETS =
      Stream.of(10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000)
          .map(Duration::ofMillis)
          .toArray(Duration[]::new);

  private static final double MILLIS_PER_SECOND = 1_000;

  private final MeterRegistry registry;
  private final String worker;
  private final EngineMonitor monitor;
  private final Timer ttft;
  private final Counter tokens;

  WorkerMeters(
      MeterRegistry registry,
      WorkerConfig config,
      EngineMonitor monitor,
      EngineWatch watch,
      RunningGenerations running,
      Admission admission,
      DependencyWatch dependencies) {
    this.registry = registry;
    this.worker = config.id();
    this.monitor = monitor;
    this.ttft =
        Timer.builder("sluice.worker.ttft")
            .description("Time from the append of a request to its first token")
            .tag("worker", worker)
            .serviceLevelObjectives(TTFT_BUCKETS)
            .register(registry);
    this.tokens =
        Counter.builder("sluice.worker.tokens")
            .description("Output tokens generated")
            .tag("worker", worker)
            .register(registry);
    gauge("running", "Running requests", running, RunningGenerations::count);
    gauge(
        "slots",
        "Requests that may run at the same time, as the adaptive limit found it",
        admission,
        Admission::slots);
    gauge(
        "prefill.rate",
        "Prompt tokens that the engine computes per second of prefill; 0 if not known yet",
        watch,
        w -> w.pace().prefillTokensPerSecond());
    gauge(
        "prefill.backlog",
        "Prompt tokens of the requests that wait for their first token",
        running,
        RunningGenerations::waitingPromptTokens);
    gauge(
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
    gauge(
        "breaker",
        "State of the circuit breaker: 0 closed, 1 half-open, 2 open",
        admission,
        a -> a.breaker().get().level());
    gauge(
        "kv.usage",
        "KV cache usage of the engine, 0 to 1",
        monitor,
        m -> m.state().kvUsage().orElse(Double.NaN));
    gauge(
        "draining",
        "1 if the worker drains and accepts no new requests, else 0",
        admission,
        a -> a.draining().getAsBoolean() ? 1 : 0);
    counter("scrape.failures", "Failed probes of the engine", EngineMonitor::failedProbes);
    total(
        "engine.prefill.tokens",
        "Prompt tokens that the engine has computed since its start",
        EngineCount.PREFILL_TOKENS);
    total(
        "engine.cached.tokens",
        "Prompt tokens that came from the engine's prefix cache since its start",
        EngineCount.CACHED_TOKENS);
    total(
        "engine.preemptions",
        "Requests that the engine has preempted since its start",
        EngineCount.PREEMPTIONS);
    total(
        "engine.draft.tokens",
        "Tokens drafted by speculative decoding since the engine's start",
        EngineCount.DRAFT_TOKENS);
    total(
        "engine.accepted.tokens",
        "Draft tokens that the model accepted since the engine's start",
        EngineCount.ACCEPTED_TOKENS);
    startAtZero();
  }

  /** An increase from nothing is none to Prometheus. */
  private void startAtZero() {
    Stream.of(Outcome.Event.class.getPermittedSubclasses()).forEach(this::outcomes);
    List.of(Outcome.ReturnReason.values()).forEach(this::returned);
    Continuation.WAYS.forEach(this::continuations);
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
    if (outcome.event() instanceof Outcome.Returned returned) {
      returned(returned.reason()).increment();
    }
  }

  private Counter continuations(String way) {
    return counter(
        "goes.on",
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
    return counter(
        "returned",
        "Requests returned to routers, by reason",
        "reason",
        reason.name().toLowerCase(Locale.ROOT));
  }

  private Counter counter(String name, String description, String label, String value) {
    return Counter.builder("sluice.worker." + name)
        .description(description)
        .tag("worker", worker)
        .tag(label, value)
        .register(registry);
  }

  private <T> void gauge(String name, String description, T source, ToDoubleFunction<T> value) {
    Gauge.builder("sluice.worker." + name, source, value)
        .description(description)
        .tag("worker", worker)
        .register(registry);
  }

  private void total(String name, String description, EngineCount count) {
    counter(name, description, m -> m.state().totals().orZero(count));
  }

  private void counter(String name, String description, ToDoubleFunction<EngineMonitor> value) {
    FunctionCounter.builder("sluice.worker." + name, monitor, value)
        .description(description)
        .tag("worker", worker)
        .register(registry);
  }
}
