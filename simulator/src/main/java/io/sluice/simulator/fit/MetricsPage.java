package io.sluice.simulator.fit;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of Prometheus metrics.
 *
 * @param text the page
 */
record MetricsPage(String text) {

  /** Returns the sum of a series over all labels; 0 if it is not there. */
  double sum(String series) {
    double sum = 0;
    Matcher lines = lines(series);
    while (lines.find()) {
      sum += Double.parseDouble(lines.group(2));
    }
    return sum;
  }

  /** Returns a label of the first line of a series, if it has it. */
  Optional<String> label(String series, String label) {
    Matcher lines = lines(series);
    if (!lines.find() || lines.group(1) == null) {
      return Optional.empty();
    }
    Matcher labels =
        Pattern.compile("[{,]" + Pattern.quote(label) + "=\"([^\"]*)\"").matcher(lines.group(1));
    return labels.find() ? Optional.of(labels.group(1)) : Optional.empty();
  }

  private Matcher lines(String series) {
    return Pattern.compile(
            "^" + Pattern.quote(series) + "(\\{[^\\n]*\\})? ([-+.0-9eE]+|NaN|[+-]?Inf)$",
            Pattern.MULTILINE)
        .matcher(text);
  }
}
