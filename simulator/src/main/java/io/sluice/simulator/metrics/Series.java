package io.sluice.simulator.metrics;

/**
 * One series of a family: a number or a distribution. Its names and labels are rendered once, since
 * a server is scraped every second. Guarded by its page's lock.
 */
final class Series {

  private final Definition definition;
  private final double[] upperBounds;
  private final long[] bucketCounts;
  private final String[] bucketNames;
  private final String labels;
  private final double createdSeconds;
  private double sum;
  private long count;

  Series(Definition definition, Labels labels, double createdSeconds) {
    this.definition = definition;
    this.upperBounds = definition.buckets().stream().mapToDouble(Double::doubleValue).toArray();
    this.bucketCounts = new long[upperBounds.length];
    this.bucketNames = bucketNames(definition, labels, upperBounds);
    this.labels = labels.rendered();
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

  /** Returns the value of a gauge or counter, or the sum of a distribution. */
  double value() {
    return sum;
  }

  void write(StringBuilder page) {
    switch (definition.type()) {
      case COUNTER, GAUGE -> line(page, definition.exposedName(), "", sum);
      case SUMMARY -> writeTotals(page);
      case HISTOGRAM -> {
        long cumulative = 0;
        for (int i = 0; i < upperBounds.length; i++) {
          cumulative += bucketCounts[i];
          page.append(bucketNames[i]).append(PythonFloat.text((double) cumulative)).append('\n');
        }
        page.append(bucketNames[upperBounds.length]);
        page.append(PythonFloat.text((double) count)).append('\n');
        writeTotals(page);
      }
    }
  }

  void writeCreated(StringBuilder page) {
    line(page, definition.name(), "_created", createdSeconds);
  }

  private void writeTotals(StringBuilder page) {
    line(page, definition.name(), "_count", (double) count);
    line(page, definition.name(), "_sum", sum);
  }

  private void line(StringBuilder page, String name, String suffix, double value) {
    page.append(name).append(suffix).append(labels).append(' ');
    page.append(PythonFloat.text(value)).append('\n');
  }

  /** The last bucket is infinity. */
  private static String[] bucketNames(Definition definition, Labels labels, double[] upperBounds) {
    String[] names = new String[upperBounds.length + 1];
    for (int i = 0; i < names.length; i++) {
      double bound = i < upperBounds.length ? upperBounds[i] : Double.POSITIVE_INFINITY;
      Labels bucket = labels.with("le", PythonFloat.text(bound));
      names[i] = definition.name() + "_bucket" + bucket.rendered() + " ";
    }
    return names;
  }
}
