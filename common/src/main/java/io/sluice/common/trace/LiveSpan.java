package io.sluice.common.trace;

import io.sluice.common.protocol.TraceContext;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A span that has not ended. Its time is that of one clock, which may be set while it runs; it
 * never ends before it started. Not thread-safe; may pass from one thread to another.
 */
public final class LiveSpan {
  private final SpanSink sink;
  private final Clock clock;
  private final TraceContext context;
  private final String parentSpanId;
  private final String name;
  private final Span.Kind kind;
  private final Instant start;
  private final Attributes attributes = new Attributes();
  private final List<Span.Event> events = new ArrayList<>();
  private String errorType = "";

  LiveSpan(
      SpanSink sink,
      Clock clock,
      TraceContext context,
      String parentSpanId,
      String name,
      Span.Kind kind) {
    this.sink = sink;
    this.clock = clock;
    this.context = context;
    this.parentSpanId = parentSpanId;
    this.name = name;
    this.kind = kind;
    this.start = clock.instant();
  }

  /** Returns its place in the trace, for the spans below it. */
  public TraceContext context() {
    return context;
  }

  /** Returns how long ago it started. */
  public Duration age() {
    return Duration.between(start, now());
  }

  /** Returns what is said about it; may be added to until the end. */
  public Attributes attributes() {
    return attributes;
  }

  /** Something happens now. */
  public void event(String event, Attributes about) {
    events.add(new Span.Event(event, now(), about.asMap()));
  }

  /** Says that the stage fails, with a short stable name. The span continues until its end. */
  public void fail(String type) {
    errorType = type;
  }

  /** Begins a span of the same service below this one. */
  public LiveSpan child(String childName, Span.Kind childKind) {
    return new LiveSpan(
        sink, clock, context.at(TraceIds.span()), context.spanId(), childName, childKind);
  }

  /** Ends it now and hands it on. Call this once. */
  public void end() {
    sink.accept(
        new Span(
            context,
            parentSpanId,
            name,
            kind,
            start,
            now(),
            attributes.asMap(),
            events,
            errorType));
  }

  private Instant now() {
    Instant now = clock.instant();
    return now.isBefore(start) ? start : now;
  }
}
