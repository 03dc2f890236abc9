package io.sluice.router.request;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.sluice.common.protocol.TraceContext;
import io.sluice.common.trace.TraceIds;
import io.sluice.common.trace.Tracer;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;

/**
 * The sampled trace of a request. The ids of a router's spans follow from names that are stored
 * with the request, so that whichever router sees an attempt end tells the same span under which
 * the worker has put its own.
 *
 * @param traceId of the trace
 * @param parentSpanId the caller's span; empty if the trace begins in the router
 * @param spanId of the request's span in the router
 * @param state the caller's {@code tracestate}; may be empty
 */
public record RequestTrace(String traceId, String parentSpanId, String spanId, String state) {

  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public RequestTrace {
    Objects.requireNonNull(traceId, "the trace has no id");
    Objects.requireNonNull(spanId, "the trace has no span");
    parentSpanId = parentSpanId == null ? "" : parentSpanId;
    state = state == null ? "" : state;
  }

  /**
   * Returns the trace of a request that arrives; empty if it is not sampled. The caller's context
   * decides; without one the tracer does. A request that is read again gets the same trace.
   */
  public static Optional<RequestTrace> of(
      Tracer tracer, Headers headers, RequestMetadata.Source source, String requestId) {
    if (!tracer.isOn()) {
      return Optional.empty();
    }
    Optional<TraceContext> caller = TraceContext.read(headers);
    if (caller.isPresent() && !caller.get().isSampled()) {
      return Optional.empty();
    }
    String name =
        "%s-%s-%s %s".formatted(source.topic(), source.partition(), source.offset(), requestId);
    String spanId = TraceIds.spanOf(name);
    if (caller.isPresent()) {
      TraceContext context = caller.get();
      return Optional.of(
          new RequestTrace(context.traceId(), context.spanId(), spanId, context.state()));
    }
    String traceId = TraceIds.traceOf(name);
    return tracer.samples(traceId)
        ? Optional.of(new RequestTrace(traceId, "", spanId, ""))
        : Optional.empty();
  }

  /** Returns the context of the request's span. */
  @JsonIgnore
  public TraceContext request() {
    return at(spanId);
  }

  /** Returns the context of an attempt's span, which the assignment carries to the worker. */
  public TraceContext attempt(String lease) {
    return at(TraceIds.spanOf(lease));
  }

  /** Returns the context of the span of the wait that ended with a lease. */
  public TraceContext queue(String lease) {
    return at(TraceIds.spanOf("queue " + lease));
  }

  private TraceContext at(String span) {
    return new TraceContext(traceId, span, true, state);
  }
}
