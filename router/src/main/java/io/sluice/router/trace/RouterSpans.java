package io.sluice.router.trace;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.TraceContext;
import io.sluice.common.trace.AttributeNames;
import io.sluice.common.trace.Attributes;
import io.sluice.common.trace.Span;
import io.sluice.common.trace.Tracer;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestTrace;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.SchedulerListener;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Makes the spans of a request when it ends: one of the request, and for each attempt one of the
 * wait before it and one of the attempt itself. They follow from the stored value alone, so a
 * request may have lived in several routers. Their time is the pool's. Thread-safe.
 *
 * @param epochMillis the pool's time
 */
public record RouterSpans(Tracer tracer, LongSupplier epochMillis) implements SchedulerListener {
  private static final String REQUEST = "request";
  private static final String QUEUE = "queue";
  private static final String ATTEMPT = "attempt";

  @Override
  public void ended(TrackedRequest tracked, Optional<ErrorKind> error) {
    Optional<RequestTrace> trace = tracked.metadata().trace();
    if (trace.isPresent()) {
      Instant end = Instant.ofEpochMilli(epochMillis.getAsLong());
      String errorType = error.map(ErrorKind::code).orElse("");
      record(tracked, trace.get(), end, errorType);
    }
  }

  private void record(TrackedRequest tracked, RequestTrace trace, Instant end, String errorType) {
    Instant waitsSince = Instant.ofEpochMilli(tracked.metadata().appendTimeMillis());
    List<AttemptFacts> attempts = AttemptFacts.of(tracked, end.toEpochMilli(), errorType);
    span(
        trace.request(),
        trace.parentSpanId(),
        REQUEST,
        Span.Kind.CONSUMER,
        waitsSince,
        end,
        about(tracked),
        errorType);
    for (AttemptFacts attempt : attempts) {
      Instant from = Instant.ofEpochMilli(attempt.startMillis().orElse(waitsSince.toEpochMilli()));
      Instant to = Instant.ofEpochMilli(attempt.endMillis());
      queue(trace, attempt.lease(), waitsSince, from, "");
      span(
          trace.attempt(attempt.lease()),
          trace.spanId(),
          ATTEMPT,
          Span.Kind.PRODUCER,
          from,
          to,
          attempt.attributes(),
          attempt.errorType());
      waitsSince = to;
    }
    if (attempts.isEmpty() || !attempts.getLast().isLast()) {
      queue(trace, "end", waitsSince, end, errorType);
    }
  }

  private void queue(RequestTrace trace, String until, Instant from, Instant to, String errorType) {
    TraceContext context = trace.queue(until);
    span(context, trace.spanId(), QUEUE, Span.Kind.INTERNAL, from, to, new Attributes(), errorType);
  }

  private void span(
      TraceContext context,
      String parent,
      String name,
      Span.Kind kind,
      Instant from,
      Instant to,
      Attributes attributes,
      String errorType) {
    Instant end = to.isBefore(from) ? from : to;
    tracer.record(
        new Span(context, parent, name, kind, from, end, attributes.asMap(), List.of(), errorType));
  }

  private static Attributes about(TrackedRequest tracked) {
    RequestMetadata metadata = tracked.metadata();
    return new Attributes()
        .put(AttributeNames.REQUEST_ID, metadata.requestId())
        .put(AttributeNames.TENANT, metadata.tenant())
        .put(AttributeNames.LANE, metadata.lane())
        .put(AttributeNames.PRIORITY, metadata.priority().headerValue())
        .put(AttributeNames.ATTEMPTS, tracked.history().attempts())
        .put(AttributeNames.REQUEST_MODEL, metadata.model())
        .put(AttributeNames.MESSAGING_SYSTEM, "kafka")
        .put(AttributeNames.MESSAGING_DESTINATION, metadata.source().topic())
        .put(AttributeNames.MESSAGING_PARTITION, Integer.toString(metadata.source().partition()))
        .put(AttributeNames.MESSAGING_OFFSET, metadata.source().offset());
  }
}
