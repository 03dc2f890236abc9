package io.sluice.tracing;

import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A span as a collector gets it.
 *
 * @param service the {@code service.name} of its resource
 * @param parentSpanId empty for a root
 * @param attributes as text
 * @param events their names, in the order of time
 */
public record CollectedSpan(
    String service,
    String traceId,
    String spanId,
    String parentSpanId,
    String name,
    String kind,
    long startNanos,
    long endNanos,
    Map<String, String> attributes,
    List<Event> events,
    boolean isError) {

  /** An event with its attributes as text. */
  public record Event(String name, long atNanos, Map<String, String> attributes) {}

  static CollectedSpan of(String service, Span span) {
    return new CollectedSpan(
        service,
        HexFormat.of().formatHex(span.getTraceId().toByteArray()),
        HexFormat.of().formatHex(span.getSpanId().toByteArray()),
        HexFormat.of().formatHex(span.getParentSpanId().toByteArray()),
        span.getName(),
        span.getKind().name().replace("SPAN_KIND_", ""),
        span.getStartTimeUnixNano(),
        span.getEndTimeUnixNano(),
        texts(span.getAttributesList()),
        span.getEventsList().stream()
            .map(
                event ->
                    new Event(
                        event.getName(), event.getTimeUnixNano(), texts(event.getAttributesList())))
            .toList(),
        span.getStatus().getCodeValue() == 2);
  }

  private static Map<String, String> texts(List<KeyValue> attributes) {
    Map<String, String> texts = new TreeMap<>();
    attributes.forEach(attribute -> texts.put(attribute.getKey(), text(attribute.getValue())));
    return texts;
  }

  private static String text(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> value.getStringValue();
      case INT_VALUE -> Long.toString(value.getIntValue());
      case DOUBLE_VALUE -> Double.toString(value.getDoubleValue());
      case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
      case ARRAY_VALUE ->
          value.getArrayValue().getValuesList().stream()
              .map(CollectedSpan::text)
              .toList()
              .toString();
      default -> value.toString();
    };
  }
}
