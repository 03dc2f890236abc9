package io.sluice.worker.trace;

import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.TraceContext;
import io.sluice.common.trace.AttributeNames;
import io.sluice.common.trace.LiveSpan;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** The span of one call to an engine. Not thread-safe. */
final class EngineCallTrace {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;

  private final LiveSpan span;
  private boolean isOver;

  EngineCallTrace(LiveSpan span, EngineCall about, URI engine) {
    this.span = span;
    span.attributes()
        .put(AttributeNames.OPERATION, about.operation())
        .put(AttributeNames.PROVIDER, about.provider())
        .put(AttributeNames.REQUEST_MODEL, about.model())
        .put(AttributeNames.STREAM, about.isStream())
        .put(AttributeNames.SERVER_ADDRESS, engine.getHost())
        .put(AttributeNames.SERVER_PORT, port(engine));
    about.maxTokens().ifPresent(limit -> span.attributes().put(AttributeNames.MAX_TOKENS, limit));
  }

  TraceContext context() {
    return span.context();
  }

  void firstToken() {
    span.attributes()
        .put(AttributeNames.TIME_TO_FIRST_CHUNK, span.age().toNanos() / NANOS_PER_SECOND);
  }

  /** The engine has sent its whole answer. */
  void answered(String finishReason, Optional<Usage> usage) {
    span.attributes().put(AttributeNames.FINISH_REASONS, List.of(finishReason));
    usage.ifPresent(
        used -> {
          span.attributes()
              .put(AttributeNames.INPUT_TOKENS, used.promptTokens())
              .put(AttributeNames.OUTPUT_TOKENS, used.completionTokens());
          used.cachedTokens()
              .ifPresent(cached -> span.attributes().put(AttributeNames.CACHED_TOKENS, cached));
        });
    end("");
  }

  /** The call is over; only the first statement counts. */
  void end(String errorType) {
    if (!isOver) {
      isOver = true;
      span.fail(errorType);
      span.end();
    }
  }

  private static int port(URI engine) {
    boolean isSecure = "https".equals(engine.getScheme());
    return engine.getPort() < 0 ? isSecure ? HTTPS_PORT : HTTP_PORT : engine.getPort();
  }
}
