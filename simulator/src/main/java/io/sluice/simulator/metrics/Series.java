package io.sluice.simulator.metrics;

import java.util.List;

/** One series of a family: a number, or a distribution. Guarded by its page's lock. */
final class Series {

  private final double[] upperBounds;
  private final long[] bucketCounts;
  private final double createdSeconds;
  private double sum;
  private long count;

  Series(List<Double> buckets, double createdSeconds) {
    this.upperBounds = buckets.stream().mapToDouble(Double::doubleValue).toArray();
    this.bucketCounts = new long[upperBounds.length];
    this.createdSeconds = createdSeconds;
  }

  void set(double value) {
    sum = value;
  }

  void add(double amount) {
    sum += amount;
  }

  void observe(double value) {
    sum += value;
    count++;
    for (int i = 0; i < upperBounds.length; i++) {
      if (value <= upperBounds[i]) {
        bucketCounts[i]++;
        return;
      }
    }
  }

  void write(Definition definition, Labels labels, StringBuilder page) {
    switch (definition.type()) {
      case COUNTER, GAUGE -> line(page, definition.exposedName(), labels, sum);
      case SUMMARY -> writeTotals(definition.name(), labels, page);
      case HISTOGRAM -> {
        long cumulative = 0;
        for (int i = 0; i < upperBounds.length; i++) {
          cumulative += bucketCounts[i];
          Labels bucket = labels.with("le", PythonFloat.text(upperBounds[i]));
          line(page, definition.name() + "_bucket", bucket, (double) cumulative);
        }
        line(page, definition.name() + "_bucket", labels.with("le", "+Inf"), (double) count);
        writeTotals(definition.name(), labels, page);
      }
    }
  }

  void writeCreated(Definition definition, Labels labels, StringBuilder page) {
    line(page, definition.name() + "_created", labels, createdSeconds);
  }

  private void writeTotals(String name, Labels labels, StringBuilder page) {
    line(page, name + "_count", labels, (double) count);
    line(page, name + "_sum", labels, sum);
  }

  private static void line(StringBuilder page, String name, Labels labels, double value) {
    page.append(name).append(labels.rendered()).append(' ');
    page.append(PythonFloat.text(value)).append('\n');
  }
}
