package io.sluice.bench.load;

import io.sluice.bench.stat.Samples;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What happened to the measured requests of a turn.
 *
 * @param seconds for which they were sent
 */
record Turn(List<Outcome> outcomes, double seconds, Objectives objectives) {
  private static final int PERCENT = 100;

  Turn {
    outcomes = List.copyOf(outcomes);
  }

  /** Returns the answers that met the objectives, of all requests, in percent. */
  double goodputPercent() {
    return percent(outcomes.stream().filter(objectives::areMet).count());
  }

  /** Returns the answers that met the objectives, per second. */
  double goodput() {
    return outcomes.stream().filter(objectives::areMet).count() / seconds;
  }

  /** Returns the tokens of whole answers, per second of sending. */
  double tokensPerSecond() {
    return outcomes.stream().mapToLong(Outcome::tokens).sum() / seconds;
  }

  double refusedPercent() {
    return percent(outcomes.stream().filter(Outcome::isRefused).count());
  }

  /** Returns those that were neither answered nor refused, in percent. */
  double failedPercent() {
    return percent(
        outcomes.stream().filter(outcome -> !outcome.isWhole() && !outcome.isRefused()).count());
  }

  /** Returns a percentile over all requests, of which those without an answer took forever. */
  double ttftMillis(double percent) {
    return percentile(Outcome::ttftMillis, percent);
  }

  /** As {@link #ttftMillis}, of the time per token after the first. */
  double tpotMillis(double percent) {
    return percentile(Outcome::tpotMillis, percent);
  }

  private double percentile(ToDoubleFunction<Outcome> time, double percent) {
    var times = new Samples();
    outcomes.forEach(outcome -> times.add(time.applyAsDouble(outcome)));
    return times.percentile(percent);
  }

  private double percent(long count) {
    return (double) PERCENT * count / Math.max(1, outcomes.size());
  }
}
