package io.sluice.simulator.command;

import io.sluice.config.TextTable;
import io.sluice.simulator.fit.Comparison;
import io.sluice.simulator.fit.ProfileFit;
import io.sluice.simulator.fit.Sample;
import java.util.Locale;

/** The tables that {@code simulator fit} prints. */
final class FitTables {
  private FitTables() {}

  /** Returns each measurement next to the value that the profile gives. */
  static TextTable of(ProfileFit fitted) {
    TextTable table = new TextTable().left("").right("measured", "fitted", "error");
    for (Sample sample : fitted.samples()) {
      table.row(
          sample.wholeRequest()
              ? "prompt of %d tokens, first token".formatted(sample.prefillTokens())
              : String.format(
                  Locale.ROOT,
                  "decode step of %d, %.0f tokens in cache",
                  sample.decodeSequences(),
                  sample.kvTokens()),
          shown("%.2f ms", sample.millis()),
          shown("%.2f ms", fitted.fit().millis(sample)),
          shown("%+.0f %%", 100 * fitted.fit().error(sample)));
    }
    return table;
  }

  /** Returns a real engine next to a simulated one. */
  static TextTable of(Comparison comparison) {
    TextTable table = new TextTable().left("").right("real", "simulated", "difference");
    for (Comparison.Figure figure : comparison.figures()) {
      table.row(
          figure.name(),
          shown("%.2f", figure.real()),
          shown("%.2f", figure.simulated()),
          difference(figure));
    }
    return table;
  }

  private static String difference(Comparison.Figure figure) {
    if (figure.real() == 0) {
      return figure.simulated() == 0 ? "0 %" : "-";
    }
    return shown("%+.0f %%", 100 * (figure.simulated() / figure.real() - 1));
  }

  private static String shown(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
