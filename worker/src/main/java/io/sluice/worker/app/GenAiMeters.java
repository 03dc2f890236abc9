package io.sluice.worker.app;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.sluice.common.metrics.BoundedNames;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.generation.EngineRun;
import java.time.Duration;
import java.util.stream.DoubleStream;

/**
 * The metrics of OpenTelemetry's conventions for generative AI, with the buckets that they
 * recommend. Models beyond the first {@value #MOST_MODELS} share the value {@code other}.
 * Thread-safe.
 */
final class GenAiMeters {
  static final int MOST_MODELS = 50;

  private static final Duration[] DURATIONS =
      seconds(
          0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92);
  private static final Duration[] FIRST_TOKENS =
      seconds(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10);
  private static final Duration[] PER_TOKEN =
      seconds(0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5);

  /** Powers of four. */
  private static final double[] TOKENS =
      DoubleStream.iterate(1, tokens -> tokens * 4).limit(14).toArray();

  private final MeterRegistry registry;
  private final BoundedNames models = new BoundedNames(MOST_MODELS);

  GenAiMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** An engine answered an attempt, or failed it. */
  void ran(EngineRun run) {
    Tags tags = tags(run);
    timer(GenAiNames.REQUEST_DURATION, "Time from a request to its last token", DURATIONS)
        .tags(tags.and(GenAiNames.ERROR_TYPE, run.error().orElse("")))
        .register(registry)
        .record(run.sinceAppend());
    if (run.error().isEmpty()) {
      run.firstToken().ifPresent(time -> firstToken(tags, time));
      run.perOutputToken().ifPresent(time -> perOutputToken(tags, time));
      tokens(tags, "input", run.promptTokens());
      tokens(tags, "output", run.outputTokens());
    }
  }

  private void firstToken(Tags tags, Duration time) {
    timer(GenAiNames.TIME_TO_FIRST_TOKEN, "Time from a request to its first token", FIRST_TOKENS)
        .tags(tags)
        .register(registry)
        .record(time);
  }

  private void perOutputToken(Tags tags, Duration time) {
    timer(GenAiNames.TIME_PER_OUTPUT_TOKEN, "Time per token after the first one", PER_TOKEN)
        .tags(tags)
        .register(registry)
        .record(time);
  }

  private void tokens(Tags tags, String type, int count) {
    DistributionSummary.builder(GenAiNames.TOKEN_USAGE)
        .description("Tokens of a request, input or output")
        .serviceLevelObjectives(TOKENS)
        .tags(tags.and(GenAiNames.TOKEN_TYPE, type))
        .register(registry)
        .record(count);
  }

  private Tags tags(EngineRun run) {
    boolean isChat = run.endpoint() == Endpoint.CHAT_COMPLETIONS;
    return Tags.of(
        GenAiNames.OPERATION, isChat ? "chat" : "text_completion",
        GenAiNames.PROVIDER, run.engine(),
        GenAiNames.REQUEST_MODEL, models.of(run.model()));
  }

  private static Timer.Builder timer(String name, String help, Duration[] buckets) {
    return Timer.builder(name).description(help).serviceLevelObjectives(buckets);
  }

  private static Duration[] seconds(double... values) {
    return DoubleStream.of(values)
        .mapToObj(value -> Duration.ofNanos(Math.round(value * 1e9)))
        .toArray(Duration[]::new);
  }
}
