package io.sluice.common.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Reads and writes record headers as UTF-8 text. If a name occurs more than once, the last header
 * applies.
 */
public final class HeaderText {
  private HeaderText() {}

  /** Returns the header's text without surrounding white space; empty if it is absent or blank. */
  public static Optional<String> get(Headers headers, String name) {
    Header header = headers.lastHeader(name);
    if (header == null || header.value() == null) {
      return Optional.empty();
    }
    String text = new String(header.value(), StandardCharsets.UTF_8).strip();
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }

  /** Returns the header as a number; empty if it is absent or not a number. */
  public static OptionalLong getLong(Headers headers, String name) {
    Optional<String> text = get(headers, name);
    try {
      return text.isPresent() ? OptionalLong.of(Long.parseLong(text.get())) : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** Returns the header as a 32-bit number; empty if it is absent or not one. */
  public static OptionalInt getInt(Headers headers, String name) {
    OptionalLong value = getLong(headers, name);
    return value.isPresent() && (int) value.getAsLong() == value.getAsLong()
        ? OptionalInt.of((int) value.getAsLong())
        : OptionalInt.empty();
  }

  /** Adds a header; returns the same headers. */
  public static Headers put(Headers headers, String name, String value) {
    return headers.add(name, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Replaces all headers of that name; returns the same headers. */
  public static Headers set(Headers headers, String name, String value) {
    return put(headers.remove(name), name, value);
  }

  /** Adds a header with a number as its text; returns the same headers. */
  public static Headers put(Headers headers, String name, long value) {
    return put(headers, name, Long.toString(value));
  }
}
