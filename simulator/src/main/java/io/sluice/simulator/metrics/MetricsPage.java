package io.sluice.simulator.metrics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * The families in the order of their registration. Guarded by the lock of {@link ServerMetrics}.
 */
final class MetricsPage {

  private final Map<String, Family> families = new HashMap<>();
  private final List<Family> visible = new ArrayList<>();
  private final DoubleSupplier nowSeconds;
  private final double startSeconds;

  MetricsPage(DoubleSupplier nowSeconds) {
    this.nowSeconds = nowSeconds;
    this.startSeconds = nowSeconds.getAsDouble();
  }

  /** Adds a family without series. It is known by its name in the newest version. */
  Family register(Definition definition, MetricsVersion version, Labels common) {
    Optional<Definition> exposed = version.expose(definition);
    Family family = new Family(exposed.orElse(definition), common, nowSeconds.getAsDouble());
    families.put(definition.name(), family);
    if (exposed.isPresent()) {
      visible.add(family);
    }
    return family;
  }

  void announce(String name) {
    family(name).announce();
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
    StringBuilder page = new StringBuilder(80 * 1024);
    ProcessBlock.write(ProcessReading.now(), startSeconds, page);
    visible.forEach(family -> family.write(page));
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
