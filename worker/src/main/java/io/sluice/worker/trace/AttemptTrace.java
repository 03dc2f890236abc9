package io.sluice.worker.trace;

import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.TraceContext;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.trace.AttributeNames;
import io.sluice.common.trace.Attributes;
import io.sluice.common.trace.LiveSpan;
import io.sluice.common.trace.Span;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The trace of one attempt, which may not be traced: then every method does nothing. Not
 * thread-safe; for the thread of the attempt.
 */
public final class AttemptTrace {
  /** Of an attempt that is not traced. */
  public static final AttemptTrace NONE = new AttemptTrace(Optional.empty(), URI.create(""));

  private final Optional<LiveSpan> attempt;
  private final URI engine;
  private Optional<EngineCallTrace> call = Optional.empty();

  AttemptTrace(Optional<LiveSpan> attempt, URI engine) {
    this.attempt = attempt;
    this.engine = engine;
  }

  /** Returns the place of the attempt in its trace; empty if it is not traced. */
  public Optional<TraceContext> context() {
    return attempt.map(LiveSpan::context);
  }

  /** The claim of the attempt is in the reply log. */
  public void claimed(ClaimMode mode) {
    attempt.ifPresent(
        span ->
            span.event(
                AttributeNames.CLAIM_EVENT,
                new Attributes()
                    .put(AttributeNames.CLAIM_MODE, mode.name().toLowerCase(Locale.ROOT))));
  }

  /**
   * The attempt continues after what earlier ones left.
   *
   * @param way as metrics name it
   * @param tokens output tokens that are kept
   */
  public void continued(String way, int tokens) {
    attempt.ifPresent(
        span ->
            span.event(
                AttributeNames.RESUME_EVENT,
                new Attributes()
                    .put(AttributeNames.RESUME_WAY, way)
                    .put(AttributeNames.TOKENS, tokens)));
  }

  /**
   * The engine is about to be called. An earlier call of the attempt is over.
   *
   * @return the headers that put the engine's own spans below this call; none if it is not traced,
   *     because an engine without tracing warns of such headers
   */
  public Map<String, String> calling(EngineCall about) {
    call.ifPresent(earlier -> earlier.end("continued_otherwise"));
    call =
        attempt.map(
            span ->
                new EngineCallTrace(
                    span.child(about.operation() + " " + about.model(), Span.Kind.CLIENT),
                    about,
                    engine));
    return call.map(it -> headers(it.context())).orElse(Map.of());
  }

  /** The first output token of the attempt has come from the engine. */
  public void firstToken() {
    attempt.ifPresent(span -> span.event(AttributeNames.FIRST_TOKEN_EVENT, new Attributes()));
    call.ifPresent(EngineCallTrace::firstToken);
  }

  /** The engine has sent its whole answer. */
  public void answered(String finishReason, Optional<Usage> usage) {
    call.ifPresent(it -> it.answered(finishReason, usage));
  }

  /**
   * The attempt has ended.
   *
   * @param outcome empty if it reports nothing
   * @param tokens output tokens of all attempts that are in the log
   */
  public void ended(Optional<Outcome.Event> outcome, int tokens) {
    attempt.ifPresent(
        span -> {
          String type =
              outcome
                  .map(event -> event.getClass().getSimpleName().toLowerCase(Locale.ROOT))
                  .orElse("abandoned");
          String errorType = errorType(outcome);
          call.ifPresent(it -> it.end(errorType.isEmpty() ? type : errorType));
          span.attributes().put(AttributeNames.OUTCOME, type).put(AttributeNames.TOKENS, tokens);
          span.fail(errorType);
          span.end();
        });
  }

  private static String errorType(Optional<Outcome.Event> outcome) {
    return outcome
        .map(
            event ->
                switch (event) {
                  case Outcome.Failed failed -> failed.code().code();
                  case Outcome.Rejected rejected -> rejected.error().code();
                  case Outcome.Expired ignored -> ErrorKind.DEADLINE_EXCEEDED.code();
                  default -> "";
                })
        .orElse("");
  }

  private static Map<String, String> headers(TraceContext context) {
    return context.state().isEmpty()
        ? Map.of(HeaderNames.TRACEPARENT, context.traceparent())
        : Map.of(
            HeaderNames.TRACEPARENT,
            context.traceparent(),
            HeaderNames.TRACESTATE,
            context.state());
  }
}
