package io.sluice.simulator.metrics;

import java.util.List;

/**
 * The definition of a metric family.
 *
 * @param name the name without the suffixes that the type adds
 * @param type the type of its series
 * @param help the HELP text
 * @param buckets the upper bounds of a histogram, without infinity
 * @param label a label in addition to the common ones; empty for none
 * @param labelValues the values of that label that exist from the start
 */
record Definition(
    String name,
    Type type,
    String help,
    List<Double> buckets,
    String label,
    List<String> labelValues) {

  enum Type {
    COUNTER("counter"),
    GAUGE("gauge"),
    HISTOGRAM("histogram"),
    SUMMARY("summary");

    final String wireName;

    Type(String wireName) {
      this.wireName = wireName;
    }
  }

  static Definition counter(String name, String help) {
    return new Definition(name, Type.COUNTER, help, List.of(), "", List.of());
  }

  static Definition gauge(String name, String help) {
    return new Definition(name, Type.GAUGE, help, List.of(), "", List.of());
  }

  static Definition summary(String name, String help) {
    return new Definition(name, Type.SUMMARY, help, List.of(), "", List.of());
  }

  static Definition histogram(String name, String help, List<Double> buckets) {
    return new Definition(name, Type.HISTOGRAM, help, buckets, "", List.of());
  }

  Definition by(String labelName, String... values) {
    return new Definition(name, type, help, buckets, labelName, List.of(values));
  }

  Definition named(String other) {
    return new Definition(other, type, help, buckets, label, labelValues);
  }

  /** Returns the name in the HELP and TYPE lines. */
  String exposedName() {
    return type == Type.COUNTER ? name + "_total" : name;
  }
}
