package io.sluice.simulator.metrics;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A label set in alphabetical order, as in prometheus_client. */
record Labels(TreeMap<String, String> values) {

  static Labels of(Map<String, String> values) {
    return new Labels(new TreeMap<>(values));
  }

  static Labels none() {
    return new Labels(new TreeMap<>());
  }

  Labels with(String name, String value) {
    TreeMap<String, String> more = new TreeMap<>(values);
    more.put(name, value);
    return new Labels(more);
  }

  /** Returns {@code {a="1",b="2"}}, or an empty string without labels. */
  String rendered() {
    return values.isEmpty()
        ? ""
        : values.entrySet().stream()
            .map(label -> label.getKey() + "=\"" + escaped(label.getValue()) + "\"")
            .collect(Collectors.joining(",", "{", "}"));
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\"", "\\\"");
  }
}
