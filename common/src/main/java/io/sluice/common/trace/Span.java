package io.sluice.common.trace;

import io.sluice.common.protocol.TraceContext;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A finished span: what one stage did with one request, from when to when.
 *
 * @param context its own place in the trace
 * @param parentSpanId empty for the root of a trace
 * @param name of low cardinality, without ids
 * @param attributes as {@link Attributes#asMap} gives them
 * @param errorType what the stage failed with, a short stable name; empty if it did not fail
 */
public record Span(
    TraceContext context,
    String parentSpanId,
    String name,
    Kind kind,
    Instant start,
    Instant end,
    Map<String, Object> attributes,
    List<Event> events,
    String errorType) {

  /** The role of the stage, as OpenTelemetry names it. */
  public enum Kind {
    INTERNAL,
    SERVER,
    CLIENT,
    PRODUCER,
    CONSUMER
  }

  /** Something that happened at one moment of a span. */
  public record Event(String name, Instant at, Map<String, Object> attributes) {}

  public Span {
    events = List.copyOf(events);
  }
}
