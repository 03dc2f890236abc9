package io.sluice.bench.fleet.compare;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What engines can do.
 *
 * @param perEngine requests per second of one engine of each kind, in the order of the kinds
 */
record Capacity(List<Double> perEngine) {
  Capacity {
    perEngine = List.copyOf(perEngine);
  }

  /** Returns the requests per second of a fleet whose engines are of the kinds in turn. */
  double ofFleet(int engines) {
    return IntStream.range(0, engines).mapToDouble(i -> perEngine.get(i % perEngine.size())).sum();
  }

  /** Returns the requests per second of an engine of each kind. */
  @Override
  public String toString() {
    return perEngine.stream()
        .map(capacity -> String.format(Locale.ROOT, "%.2f", capacity))
        .collect(Collectors.joining(", "));
  }
}
