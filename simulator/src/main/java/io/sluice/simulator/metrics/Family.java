package io.sluice.simulator.metrics;

import java.util.LinkedHashMap;
import java.util.Map;

/** A family and its series in the order of their first use. Guarded by its page's lock. */
final class Family {

  private final Definition definition;
  private final Labels common;
  private final Map<Labels, Series> series = new LinkedHashMap<>();
  private boolean announced;

  Family(Definition definition, Labels common, double nowSeconds) {
    this.definition = definition;
    this.common = common;
    for (String value : definition.labelValues()) {
      with(common.with(definition.label(), value), nowSeconds);
    }
  }

  /** Returns the only series of a family without additional labels. */
  Series only(double nowSeconds) {
    return with(common, nowSeconds);
  }

  Series labelled(String value, double nowSeconds) {
    return with(common.with(definition.label(), value), nowSeconds);
  }

  Series with(Labels labels, double nowSeconds) {
    return series.computeIfAbsent(labels, key -> new Series(definition, labels, nowSeconds));
  }

  /** Shows the family's comments also while it has no series. */
  void announce() {
    announced = true;
  }

  void write(StringBuilder page) {
    if (series.isEmpty() && !announced) {
      return;
    }
    head(page, definition.exposedName(), definition.type());
    series.values().forEach(one -> one.write(page));
    if (!series.isEmpty() && definition.type() != Definition.Type.GAUGE) {
      head(page, definition.name() + "_created", Definition.Type.GAUGE);
      series.values().forEach(one -> one.writeCreated(page));
    }
  }

  private void head(StringBuilder page, String name, Definition.Type type) {
    page.append("# HELP ").append(name).append(' ').append(definition.help()).append('\n');
    page.append("# TYPE ").append(name).append(' ').append(type.wireName).append('\n');
  }
}
