package io.sluice.worker.health;

import io.sluice.worker.engine.dialect.EngineDialects;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Prometheus' text format, as far as a worker reads it: the series of a name, their sum or mean,
 * and labels of info metrics. Other lines are skipped. Immutable.
 */
public final class MetricsText {

  /** One sample. */
  public record Sample(Map<String, String> labels, double value) {
    public Sample {
      labels = Map.copyOf(labels);
    }
  }

  private static final Set<String> OF_ENGINES = EngineDialects.metrics().all();

  private final Map<String, List<Sample>> samples;

  private MetricsText(Map<String, List<Sample>> samples) {
    this.samples = samples;
  }

  /** Reads the metrics of any engine. */
  static MetricsText ofEngine(String text) {
    return parse(text, OF_ENGINES);
  }

  /** Reads metrics; keeps only some names. */
  public static MetricsText parse(String text, Set<String> names) {
    Map<String, List<Sample>> samples = new HashMap<>();
    String name = "";
    boolean isKept = false;
    int from = 0;
    while (from < text.length()) {
      int newline = text.indexOf('\n', from);
      int end = newline < 0 ? text.length() : newline;
      // Most lines have the name of the line before.
      if (!isOf(name, text, from, end)) {
        name = nameOf(text, from, end);
        isKept = names.contains(name);
      }
      if (isKept) {
        List<Sample> known = samples.computeIfAbsent(name, any -> new ArrayList<>());
        sample(text.substring(from, end), name.length()).ifPresent(known::add);
      }
      from = end + 1;
    }
    samples.values().removeIf(List::isEmpty);
    return new MetricsText(samples);
  }

  /** Returns all series of the first of these names that is present. */
  public List<Sample> series(List<String> aliases) {
    return first(aliases).map(List::copyOf).orElse(List.of());
  }

  /**
   * Returns the sum over all series (engines, ranks) of the first of these names that is present.
   */
  OptionalDouble sum(List<String> aliases) {
    return first(aliases).stream()
        .flatMap(List::stream)
        .mapToDouble(Sample::value)
        .reduce(Double::sum);
  }

  /** Returns the mean over all series of the first of these names that is present. */
  OptionalDouble mean(List<String> aliases) {
    return first(aliases).stream().flatMap(List::stream).mapToDouble(Sample::value).average();
  }

  /** Returns the sum over all series of the product of two numeric labels. */
  double sumOfProducts(String name, String label, String otherLabel) {
    return samples.getOrDefault(name, List.of()).stream()
        .mapToDouble(
            sample -> number(sample.labels.get(label)) * number(sample.labels.get(otherLabel)))
        .sum();
  }

  /**
   * Returns a label of the series with the largest value, which is the newest if the value is a
   * time; empty if there is none.
   */
  String newestLabel(String name, String label) {
    return samples.getOrDefault(name, List.of()).stream()
        .max(Comparator.comparingDouble(Sample::value))
        .map(sample -> sample.labels.getOrDefault(label, ""))
        .orElse("");
  }

  private Optional<List<Sample>> first(List<String> aliases) {
    return aliases.stream().filter(samples::containsKey).findFirst().map(samples::get);
  }

  private static boolean isOf(String name, String text, int from, int end) {
    int next = from + name.length();
    return next < end && text.startsWith(name, from) && endsName(text.charAt(next));
  }

  private static String nameOf(String text, int from, int end) {
    int next = from;
    while (next < end && !endsName(text.charAt(next))) {
      next++;
    }
    return text.substring(from, next);
  }

  private static boolean endsName(char character) {
    return character == '{' || character == ' ';
  }

  private static Optional<Sample> sample(String line, int nameEnd) {
    Map<String, String> labels = new HashMap<>();
    int at = nameEnd;
    if (at < line.length() && line.charAt(at) == '{') {
      at = labels(line, at + 1, labels);
    }
    String rest = line.substring(Math.min(at, line.length())).strip();
    int end = rest.indexOf(' ');
    try {
      double value = Double.parseDouble(end < 0 ? rest : rest.substring(0, end));
      return Double.isFinite(value) ? Optional.of(new Sample(labels, value)) : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Reads {@code a="b",c="d"}} and returns the position after it. */
  private static int labels(String line, int from, Map<String, String> labels) {
    int at = from;
    while (at < line.length() && line.charAt(at) != '}') {
      int equals = line.indexOf("=\"", at);
      if (equals < 0) {
        return line.length();
      }
      String name = line.substring(at, equals).strip();
      var value = new StringBuilder();
      at = equals + 2;
      while (at < line.length() && line.charAt(at) != '"') {
        if (line.charAt(at) == '\\' && at + 1 < line.length()) {
          at++;
          value.append(line.charAt(at) == 'n' ? '\n' : line.charAt(at));
        } else {
          value.append(line.charAt(at));
        }
        at++;
      }
      labels.put(name, value.toString());
      at++;
      if (at < line.length() && line.charAt(at) == ',') {
        at++;
      }
    }
    return at + 1;
  }

  private static double number(@Nullable String text) {
    try {
      return text == null ? 0 : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
