package io.sluice.simulator.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** Families in the order of their registration. Guarded by the lock of {@link ServerMetrics}. */
final class MetricsPage {

  private final Map<String, Family> families = new LinkedHashMap<>();
  private final DoubleSupplier nowSeconds;

  MetricsPage(DoubleSupplier nowSeconds) {
    this.nowSeconds = nowSeconds;
  }

  /** Adds a family that has no series yet. */
  Family register(Definition definition, Labels common) {
    Family family = new Family(definition, common, nowSeconds.getAsDouble());
    families.put(definition.name(), family);
    return family;
  }

  Series only(String name) {
    return family(name).only(nowSeconds.getAsDouble());
  }

  Series labelled(String name, String labelValue) {
    return family(name).labelled(labelValue, nowSeconds.getAsDouble());
  }

  Series with(String name, Labels labels) {
    return family(name).with(labels, nowSeconds.getAsDouble());
  }

  String text() {
    StringBuilder page = new StringBuilder(64 * 1024);
    families.values().forEach(family -> family.write(page));
    return page.toString();
  }

  private Family family(String name) {
    Family family = families.get(name);
    if (family == null) {
      throw new IllegalArgumentException("No metric family is named " + name + ".");
    }
    return family;
  }
}
