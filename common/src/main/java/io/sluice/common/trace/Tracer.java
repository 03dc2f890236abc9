package io.sluice.common.trace;

import io.sluice.common.protocol.TraceContext;
import java.time.Clock;
import java.util.Optional;

/**
 * Begins the spans of a service. Sampling is parent based: the stage that sees a request first
 * decides for all stages after it. Thread-safe.
 */
public final class Tracer {
  /** Records nothing and costs a comparison. */
  public static final Tracer OFF =
      new Tracer(span -> {}, new SampleRatio(0), Clock.systemUTC(), false);

  private final SpanSink sink;
  private final SampleRatio ratio;
  private final Clock clock;
  private final boolean isOn;

  /**
   * A tracer that is on.
   *
   * @param ratio of the traces that begin in this service
   */
  public Tracer(SpanSink sink, SampleRatio ratio, Clock clock) {
    this(sink, ratio, clock, true);
  }

  private Tracer(SpanSink sink, SampleRatio ratio, Clock clock, boolean isOn) {
    this.sink = sink;
    this.ratio = ratio;
    this.clock = clock;
    this.isOn = isOn;
  }

  /** Returns whether spans are recorded at all. */
  public boolean isOn() {
    return isOn;
  }

  /** Returns whether a trace that begins in this service is sampled. */
  public boolean samples(String traceId) {
    return isOn && ratio.includes(traceId);
  }

  /**
   * Returns the context of a stage below a parent, or of the root of a new trace.
   *
   * @param parent of another stage; empty if this one is the first
   */
  public TraceContext context(Optional<TraceContext> parent) {
    if (parent.isPresent()) {
      return parent.get().at(TraceIds.span());
    }
    String traceId = TraceIds.trace();
    return new TraceContext(traceId, TraceIds.span(), samples(traceId), "");
  }

  /**
   * Begins a span; empty if its trace is not sampled, or nothing is.
   *
   * @param context that of the span itself
   * @param parent that of the stage before; empty for a root
   */
  public Optional<LiveSpan> begin(
      TraceContext context, Optional<TraceContext> parent, String name, Span.Kind kind) {
    String parentSpanId = parent.map(TraceContext::spanId).orElse("");
    return isOn && context.isSampled()
        ? Optional.of(new LiveSpan(sink, clock, context, parentSpanId, name, kind))
        : Optional.empty();
  }

  /** Hands on a span that was made from stored facts. */
  public void record(Span span) {
    if (isOn) {
      sink.accept(span);
    }
  }
}
