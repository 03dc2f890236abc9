package io.sluice.common.trace;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is said about a span or an event, by the names in {@link AttributeNames}. Never the text of
 * a prompt or an answer. Not thread-safe.
 */
public final class Attributes {
  private final Map<String, Object> values = new LinkedHashMap<>();

  /** Sets a text; an empty one says nothing and is left out. */
  public Attributes put(String name, String text) {
    if (!text.isEmpty()) {
      values.put(name, text);
    }
    return this;
  }

  /** Sets a whole number. */
  public Attributes put(String name, long number) {
    values.put(name, number);
    return this;
  }

  /** Sets a number. */
  public Attributes put(String name, double number) {
    values.put(name, number);
    return this;
  }

  /** Sets a truth value. */
  public Attributes put(String name, boolean isTrue) {
    values.put(name, isTrue);
    return this;
  }

  /** Sets a list of texts. */
  public Attributes put(String name, List<String> texts) {
    values.put(name, List.copyOf(texts));
    return this;
  }

  /** Each value is a {@code String}, {@code Long}, {@code Double}, {@code Boolean} or list. */
  public Map<String, Object> asMap() {
    return Collections.unmodifiableMap(values);
  }
}
