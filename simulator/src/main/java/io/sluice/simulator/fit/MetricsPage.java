package io.sluice.simulator.fit;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * A page of Prometheus metrics.
 *
 * @param text the text of the page
 */
public record MetricsPage(String text) {

  /** Returns the sum of a series over all labels; 0 if the series is missing. */
  public double sum(String series) {
    return values(series).sum();
  }

  /** Returns the mean of a series over all labels; empty if the series is missing. */
  public OptionalDouble mean(String series) {
    return values(series).average();
  }

  /** Returns a page with only the lines that have this value of a label. */
  public MetricsPage with(String label, String value) {
    String wanted = "%s=\"%s\"".formatted(label, value);
    return new MetricsPage(
        text.lines().filter(line -> line.contains(wanted)).collect(Collectors.joining("\n")));
  }

  /** Returns a label of the first line of a series, if present. */
  public Optional<String> label(String series, String label) {
    Matcher lines = lines(series);
    if (!lines.find() || lines.group(1) == null) {
      return Optional.empty();
    }
    Matcher labels =
        Pattern.compile("[{,]" + Pattern.quote(label) + "=\"([^\"]*)\"").matcher(lines.group(1));
    return labels.find() ? Optional.of(labels.group(1)) : Optional.empty();
  }

  private DoubleStream values(String series) {
    return lines(series).results().mapToDouble(line -> Double.parseDouble(line.group(2)));
  }

  private Matcher lines(String series) {
    return Pattern.compile(
            "^" + Pattern.quote(series) + "(\\{[^\\n]*\\})? ([-+.0-9eE]+|NaN|[+-]?Inf)$",
            Pattern.MULTILINE)
        .matcher(text);
  }
}
