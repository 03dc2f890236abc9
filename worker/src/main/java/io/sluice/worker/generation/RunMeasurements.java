package io.sluice.worker.generation;

import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.resume.Continuation;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Counts and times the tokens of one attempt, for its outcome and for the worker's metrics and
 * load. Not thread-safe.
 */
final class RunMeasurements {
  private final Services services;
  private final AssignedRequest request;
  private final Continuation continuation;
  private final TokenLoad load;
  private final long startNanos;
  private OptionalInt promptTokens = OptionalInt.empty();
  private OptionalInt cachedTokens = OptionalInt.empty();
  private OptionalLong ttftMillis = OptionalLong.empty();
  private long lastTokenNanos;
  private Optional<Duration> firstToken = Optional.empty();
  private Duration betweenTokens = Duration.ZERO;
  private int outputTokens;

  /** The attempt starts now. */
  RunMeasurements(Attempt attempt, Continuation continuation) {
    this.services = attempt.services();
    this.request = attempt.request();
    this.continuation = continuation;
    this.load = attempt.load();
    this.startNanos = services.ticker().nanos();
  }

  /** The engine has sent tokens just now. */
  void took(EngineEvent.Tokens tokens) {
    tokens.usage().ifPresent(this::used);
    int made = continuation.tokens() + tokens.completionTokens();
    int added = made - Math.max(load.outputTokens(), continuation.tokens());
    services.meter().tokens(added);
    load.made(made, services.ticker().nanos());
    tally(added);
    if (ttftMillis.isEmpty() && tokens.completionTokens() > 0) {
      Duration ttft = request.age(services.ticker());
      ttftMillis = OptionalLong.of(ttft.toMillis());
      firstToken = Optional.of(ttft);
      request.trace().firstToken();
      services.meter().firstToken(ttft, request.trace().context());
    }
  }

  private void used(Usage usage) {
    load.measured(usage, continuation.tokensInPrompt());
    promptTokens = OptionalInt.of(usage.promptTokens());
    cachedTokens = usage.cachedTokens();
  }

  private void tally(int added) {
    if (added > 0) {
      if (ttftMillis.isEmpty()) {
        services.tally().firstToken(load.promptTokens(), duration());
      } else {
        Duration sinceLast = services.ticker().since(lastTokenNanos);
        services.tally().moreTokens(added, sinceLast);
        betweenTokens = betweenTokens.plus(sinceLast);
      }
      outputTokens += added;
      lastTokenNanos = services.ticker().nanos();
    }
  }

  /**
   * Returns the prompt's length as the engine counts it, tokens; empty until it has reported it.
   */
  OptionalInt promptTokens() {
    return promptTokens;
  }

  /** Returns the prompt tokens that the engine had cached; empty if it does not report them. */
  OptionalInt cachedTokens() {
    return cachedTokens;
  }

  /**
   * Returns the time from the arrival of the request at this worker to the first token,
   * milliseconds; empty before.
   */
  OptionalLong ttftMillis() {
    return ttftMillis;
  }

  /**
   * Returns the attempt, which is over now.
   *
   * @param prompt the prompt's length as the engine counts it, tokens; 0 if it did not report it
   */
  EngineRun run(Endpoint endpoint, String model, int prompt, Optional<String> error) {
    int intervals = outputTokens - 1;
    return new EngineRun(
        endpoint,
        model,
        services.engineFacts().get().dialect().name(),
        request.age(services.ticker()),
        firstToken,
        intervals > 0 ? Optional.of(betweenTokens.dividedBy(intervals)) : Optional.empty(),
        prompt,
        outputTokens,
        error);
  }

  /** Returns how long the attempt has taken so far. */
  Duration duration() {
    return services.ticker().since(startNanos);
  }
}
