package io.sluice.tracing;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Draws the spans of one trace as a tree, without times, ids and counts. */
public final class TraceTree {
  /** The attributes that are shown, and how they are called. */
  private static final Map<String, String> SHOWN = new LinkedHashMap<>();

  static {
    SHOWN.put("sluice.attempt", "attempt");
    SHOWN.put("sluice.attempts", "attempts");
    SHOWN.put("sluice.outcome", "outcome");
    SHOWN.put("sluice.worker.id", "worker");
    SHOWN.put("sluice.claim.mode", "mode");
    SHOWN.put("sluice.resume.way", "way");
    SHOWN.put("gen_ai.operation.name", "operation");
    SHOWN.put("gen_ai.response.finish_reasons", "finish_reasons");
    SHOWN.put("error.type", "error.type");
  }

  private final List<CollectedSpan> spans;

  /** The tree of these spans, which are of one trace. */
  public TraceTree(List<CollectedSpan> spans) {
    this.spans = spans;
  }

  /** Returns one line per span: service, name, kind, attributes, and its events in brackets. */
  public String drawn() {
    StringBuilder text = new StringBuilder();
    spans.stream()
        .filter(span -> spans.stream().noneMatch(other -> isParent(other, span)))
        .sorted(inTime())
        .forEach(root -> draw(root, 0, text));
    return text.toString();
  }

  private void draw(CollectedSpan span, int depth, StringBuilder text) {
    text.append("  ".repeat(depth))
        .append("%s: %s (%s)".formatted(span.service(), span.name(), span.kind()))
        .append(shown(span.attributes()));
    if (!span.events().isEmpty()) {
      text.append(
          span.events().stream()
              .map(event -> event.name() + shown(event.attributes()))
              .collect(Collectors.joining(", ", " [", "]")));
    }
    text.append('\n');
    spans.stream()
        .filter(child -> isParent(span, child))
        .sorted(inTime())
        .forEach(child -> draw(child, depth + 1, text));
  }

  private static String shown(Map<String, String> attributes) {
    return SHOWN.entrySet().stream()
        .filter(name -> attributes.containsKey(name.getKey()))
        .map(name -> " " + name.getValue() + "=" + attributes.get(name.getKey()))
        .collect(Collectors.joining());
  }

  private static Comparator<CollectedSpan> inTime() {
    return Comparator.comparingLong(CollectedSpan::startNanos)
        .thenComparing(CollectedSpan::endNanos);
  }

  private static boolean isParent(CollectedSpan parent, CollectedSpan child) {
    return child.parentSpanId().equals(parent.spanId());
  }
}
