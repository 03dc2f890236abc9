package io.sluice.common.protocol;

import java.util.Optional;
import org.apache.kafka.common.header.Headers;

/**
 * The place of a span in a trace, as the W3C recommendation "Trace Context" carries it.
 *
 * @param traceId 32 lower-case hexadecimal digits
 * @param spanId 16 lower-case hexadecimal digits
 * @param isSampled whether the spans of the trace are recorded
 * @param state the vendors' own {@code tracestate}, passed on unchanged; may be empty
 */
public record TraceContext(String traceId, String spanId, boolean isSampled, String state) {
  /** The length that every implementation must accept. */
  private static final int MAX_STATE_CHARACTERS = 512;

  private static final int TRACE_ID = 3;
  private static final int SPAN_ID = 36;
  private static final int FLAGS = 53;
  private static final int LENGTH = 55;

  /**
   * Reads the two headers; empty if the first is not valid. A {@code tracestate} that is not valid
   * is left out.
   */
  public static Optional<TraceContext> parse(String traceparent, String tracestate) {
    if (!isTraceparent(traceparent)) {
      return Optional.empty();
    }
    boolean isSampled = (Character.digit(traceparent.charAt(LENGTH - 1), 16) & 1) == 1;
    return Optional.of(
        new TraceContext(
            traceparent.substring(TRACE_ID, SPAN_ID - 1),
            traceparent.substring(SPAN_ID, FLAGS - 1),
            isSampled,
            isState(tracestate) ? tracestate : ""));
  }

  /** Reads the headers of a record; empty if they have no valid context. */
  public static Optional<TraceContext> read(Headers headers) {
    Optional<String> parent = HeaderText.get(headers, HeaderNames.TRACEPARENT);
    return parent.isEmpty()
        ? Optional.empty()
        : parse(parent.get(), HeaderText.get(headers, HeaderNames.TRACESTATE).orElse(""));
  }

  /** Writes the context into a record's headers in place of another one. */
  public void writeTo(Headers headers) {
    HeaderText.set(headers, HeaderNames.TRACEPARENT, traceparent());
    headers.remove(HeaderNames.TRACESTATE);
    if (!state.isEmpty()) {
      HeaderText.put(headers, HeaderNames.TRACESTATE, state);
    }
  }

  /** Returns the value of the header {@code traceparent}. */
  public String traceparent() {
    return "00-" + traceId + "-" + spanId + (isSampled ? "-01" : "-00");
  }

  /** Returns the same trace at another span. */
  public TraceContext at(String otherSpanId) {
    return new TraceContext(traceId, otherSpanId, isSampled, state);
  }

  private static boolean isTraceparent(String text) {
    return text.length() >= LENGTH
        && isHex(text, 0, TRACE_ID - 1)
        && hasLengthOfItsVersion(text)
        && text.charAt(TRACE_ID - 1) == '-'
        && isId(text, TRACE_ID, SPAN_ID - 1)
        && text.charAt(SPAN_ID - 1) == '-'
        && isId(text, SPAN_ID, FLAGS - 1)
        && text.charAt(FLAGS - 1) == '-'
        && isHex(text, FLAGS, LENGTH);
  }

  /** Later versions of the format may append fields, which are not read. */
  private static boolean hasLengthOfItsVersion(String text) {
    return switch (text.substring(0, TRACE_ID - 1)) {
      case "ff" -> false;
      case "00" -> text.length() == LENGTH;
      default -> text.length() == LENGTH || text.charAt(LENGTH) == '-';
    };
  }

  /** An id of zeros means that there is none. */
  private static boolean isId(String text, int from, int to) {
    return isHex(text, from, to)
        && text.chars().skip(from).limit(to - from).anyMatch(c -> c != '0');
  }

  private static boolean isHex(String text, int from, int to) {
    return text.substring(from, to).chars().allMatch(c -> "0123456789abcdef".indexOf(c) >= 0);
  }

  private static boolean isState(String text) {
    return text.length() <= MAX_STATE_CHARACTERS && text.chars().allMatch(c -> c >= ' ' && c < 127);
  }
}
