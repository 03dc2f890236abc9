package io.sluice.bench.report;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * What a measurement found: figures of everything that was compared, in groups that have a
 * condition in common. All keep the order in which they were added. Not thread-safe.
 */
public final class Report {
  private final Map<String, Group> groups = new LinkedHashMap<>();
  private Optional<Object> details = Optional.empty();

  /** What was measured under one condition, such as a load. Not thread-safe. */
  public static final class Group {
    private final Map<String, Map<String, Runs>> figures = new LinkedHashMap<>();

    private Group() {}

    /**
     * Adds a figure. One that was not measured, NaN, is left out.
     *
     * @param figure its name and unit, such as {@code "TTFT p95, ms"}
     * @param of what it was measured of, such as a way to send requests
     * @param runs one value of each run
     */
    public Group add(String figure, String of, double... runs) {
      if (runs.length > 0 && Arrays.stream(runs).noneMatch(Double::isNaN)) {
        figures.computeIfAbsent(figure, any -> new LinkedHashMap<>()).put(of, new Runs(runs));
      }
      return this;
    }

    /** Adds a figure of each run. */
    public <T> Group add(String figure, String of, List<T> runs, ToDoubleFunction<T> value) {
      return add(figure, of, runs.stream().mapToDouble(value).toArray());
    }

    /** By the figure, then by what it was measured of. */
    Map<String, Map<String, Runs>> figures() {
      return Collections.unmodifiableMap(figures);
    }
  }

  /** Returns the group under a condition; the empty text is for all that have none. */
  public Group group(String condition) {
    return groups.computeIfAbsent(condition, any -> new Group());
  }

  /**
   * Adds what is only written to the JSON.
   *
   * @param more is turned to JSON by Jackson
   */
  public Report details(Object more) {
    details = Optional.of(more);
    return this;
  }

  Map<String, Group> groups() {
    return Collections.unmodifiableMap(groups);
  }

  Optional<Object> details() {
    return details;
  }
}
