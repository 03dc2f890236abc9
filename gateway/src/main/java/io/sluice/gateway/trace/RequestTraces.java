package io.sluice.gateway.trace;

import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.TraceContext;
import io.sluice.common.trace.AttributeNames;
import io.sluice.common.trace.Attributes;
import io.sluice.common.trace.LiveSpan;
import io.sluice.common.trace.Span;
import io.sluice.common.trace.Tracer;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.RequestFailedException;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Puts requests to the pool below the trace of their HTTP clients, or begins one. Thread-safe.
 *
 * <p>The span lasts from when the request goes to the pool until its answer has arrived here.
 */
@Singleton
public final class RequestTraces {
  private static final String METHOD = "POST";

  private final Tracer tracer;

  RequestTraces(Tracer tracer) {
    this.tracer = tracer;
  }

  /** Begins the trace of a request that is about to be sent. */
  public RequestSpan begin(InferenceRequest request) {
    if (!tracer.isOn()) {
      return new RequestSpan(request, Optional.empty());
    }
    Optional<TraceContext> client =
        request
            .traceparent()
            .flatMap(parent -> TraceContext.parse(parent, request.tracestate().orElse("")));
    TraceContext own = tracer.context(client);
    String path = request.endpoint().path();
    Optional<LiveSpan> span = tracer.begin(own, client, METHOD + " " + path, Span.Kind.SERVER);
    span.ifPresent(live -> describe(live.attributes(), request));
    return new RequestSpan(request.under(own), span);
  }

  private static void describe(Attributes attributes, InferenceRequest request) {
    attributes
        .put(AttributeNames.HTTP_METHOD, METHOD)
        .put(AttributeNames.HTTP_ROUTE, request.endpoint().path())
        .put(AttributeNames.REQUEST_ID, request.requestId().orElse(""))
        .put(AttributeNames.REQUEST_MODEL, request.openAi().model())
        .put(AttributeNames.STREAM, request.isStreamed());
  }

  /**
   * The span of one request.
   *
   * @param request as it is sent to the pool, with its trace context
   * @param span empty if the request is not traced
   */
  public record RequestSpan(InferenceRequest request, Optional<LiveSpan> span) {

    /** The request ends with its answer. This does not keep the request's body until then. */
    public void endsWith(CompletableFuture<Answer> answer) {
      span.ifPresent(
          live -> {
            var _ = answer.whenComplete((given, failure) -> end(live, given, failure));
          });
    }

    /** The request has failed before it was sent. */
    public void fail(Throwable failure) {
      span.ifPresent(live -> end(live, null, failure));
    }

    private static void end(LiveSpan live, @Nullable Answer answer, @Nullable Throwable failure) {
      if (answer != null) {
        describe(live.attributes(), answer);
      } else if (failure != null) {
        live.fail(errorType(failure));
      }
      live.end();
    }

    private static void describe(Attributes attributes, Answer answer) {
      attributes
          .put(AttributeNames.RESPONSE_MODEL, answer.model().orElse(""))
          .put(AttributeNames.FINISH_REASONS, List.of(answer.finishReason()))
          .put(AttributeNames.ATTEMPTS, answer.attempts());
      if (!answer.usage().equals(Usage.NONE)) {
        attributes
            .put(AttributeNames.INPUT_TOKENS, answer.usage().promptTokens())
            .put(AttributeNames.OUTPUT_TOKENS, answer.usage().completionTokens());
      }
    }

    private static String errorType(Throwable failure) {
      Throwable cause =
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure;
      return cause instanceof RequestFailedException failed
          ? failed.failure().kind().code()
          : cause.getClass().getName();
    }
  }
}
