package io.sluice.standalone.pool;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A metric of a page in Prometheus' text format, with all its time series.
 *
 * @param type as in {@code # TYPE}
 * @param help as in {@code # HELP}; empty without one
 * @param labels the names of its labels, except those that a histogram adds
 */
record MetricFamily(String name, String type, String help, Set<String> labels) {
  static final String HEAD =
      "| metric | type | unit | labels | meaning |\n| --- | --- | --- | --- | --- |\n";

  private static final Pattern SAMPLE =
      Pattern.compile("^([a-zA-Z_:][\\w:]*?)(_bucket|_count|_sum)?(\\{.*})? [^ ]+$");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"(?:[^\"\\\\]|\\\\.)*\"");
  private static final Pattern UNIT =
      Pattern.compile(".*_(seconds|bytes|records|tokens)(_total)?$");
  private static final Set<String> ADDED = Set.of("le", "quantile");

  /**
   * Returns the families of a page by name; the largest value of a timer is a part of the timer.
   */
  static List<MetricFamily> read(String page) {
    Map<String, String> types = comments(page, "# TYPE ");
    Map<String, String> helps = comments(page, "# HELP ");
    Map<String, Set<String>> labels = new HashMap<>();
    page.lines()
        .map(SAMPLE::matcher)
        .filter(Matcher::matches)
        .forEach(
            sample -> {
              String whole = sample.group(1) + (sample.group(2) == null ? "" : sample.group(2));
              String name = types.containsKey(whole) ? whole : sample.group(1);
              labels.computeIfAbsent(name, any -> new TreeSet<>()).addAll(namesIn(sample.group(3)));
            });
    List<MetricFamily> families = new ArrayList<>();
    types.forEach(
        (name, type) -> {
          boolean isLargest = types.containsKey(name.replaceFirst("_max$", ""));
          if (!name.endsWith("_max") || !isLargest) {
            families.add(
                new MetricFamily(
                    name, type, helps.getOrDefault(name, ""), labels.getOrDefault(name, Set.of())));
          }
        });
    return families;
  }

  private static Map<String, String> comments(String page, String kind) {
    return page.lines()
        .filter(line -> line.startsWith(kind))
        .map(line -> line.substring(kind.length()).split(" ", 2))
        .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1], (a, b) -> a, TreeMap::new));
  }

  private static Set<String> namesIn(String labels) {
    return labels == null
        ? Set.of()
        : LABEL
            .matcher(labels)
            .results()
            .map(label -> label.group(1))
            .filter(name -> !ADDED.contains(name))
            .collect(Collectors.toSet());
  }

  /** Returns whether it is not one that the JVM or a framework adds. */
  boolean isOfSluice() {
    return name.startsWith("sluice_") || name.startsWith("gen_ai_");
  }

  /** Returns its row in docs/metrics.md. */
  String row() {
    Matcher unit = UNIT.matcher(name);
    String labelNames =
        labels.stream().map(label -> "`" + label + "`").collect(Collectors.joining(", "));
    return "| `%s` | %s | %s | %s | %s |\n"
        .formatted(
            name,
            type,
            unit.matches() ? unit.group(1) : "-",
            labelNames.isEmpty() ? "-" : labelNames,
            help);
  }
}
