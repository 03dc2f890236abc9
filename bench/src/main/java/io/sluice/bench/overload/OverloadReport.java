package io.sluice.bench.overload;

import io.sluice.bench.report.Report;
import io.sluice.bench.stat.Samples;
import io.sluice.bench.traffic.ChatOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * What callers saw.
 *
 * @param capacity answers per second when there are as many callers as places
 * @param factor the load, in times of the capacity
 */
record OverloadReport(double capacity, double factor, Phase load, Phase afterwards) {
  private static final double LEAST_GOODPUT = 0.9;
  private static final double QUICK_MILLIS = 1_000;
  private static final double QUICK_WITHIN_SECONDS = 5;
  private static final long LONGEST_RETRY_MILLIS = 60_000;

  /**
   * What was sent in a time, by {@link System#nanoTime}.
   *
   * @param outcomes in the order of sending, evenly spread
   */
  record Phase(long fromNanos, long toNanos, List<ChatOutcome> outcomes) {
    Phase {
      outcomes = List.copyOf(outcomes);
    }

    private double seconds() {
      return (toNanos - fromNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    /** Answers that ended in this time, per second. */
    double goodput() {
      return outcomes.stream()
              .filter(outcome -> outcome.isWhole() && outcome.endedNanos() < toNanos)
              .count()
          / seconds();
    }
  }

  /** After how many seconds all later requests have their first token within a second. */
  double quickAfterSeconds() {
    List<ChatOutcome> all = afterwards.outcomes();
    int slow = 0;
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).firstMillis().orElse(Double.MAX_VALUE) > QUICK_MILLIS
          || !all.get(i).isWhole()) {
        slow = i + 1;
      }
    }
    return afterwards.seconds() * slow / Math.max(1, all.size());
  }

  /** Returns what is not as it should be. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (load.goodput() < LEAST_GOODPUT * capacity) {
      problems.add("under load fewer requests were answered than the pool can answer");
    }
    if (quickAfterSeconds() > QUICK_WITHIN_SECONDS) {
      problems.add("answers were not quick again within 5 s");
    }
    long bad = load.outcomes().stream().filter(ChatOutcome::isBad).count();
    if (bad > 0) {
      problems.add(
          bad
              + " requests got neither an answer nor a refusal with Retry-After and retry-after-ms");
    }
    if (load.outcomes().stream()
        .anyMatch(outcome -> outcome.retryAfterMillis().orElse(0) > LONGEST_RETRY_MILLIS)) {
      problems.add("a refusal asks to wait for more than a minute");
    }
    return problems;
  }

  /** Of what was answered or refused under the load. */
  Report figures() {
    var report = new Report();
    report
        .group("")
        .add("answers per second", "capacity", capacity)
        .add("answers per second", "under load", load.goodput())
        .add("p99, ms", "first token", firstTokens().percentile(99))
        .add("p99, ms", "refusal", refusals().percentile(99))
        .add("until answers are quick again, s", "after the load", quickAfterSeconds());
    return report;
  }

  private Samples firstTokens() {
    var first = new Samples();
    load.outcomes().stream()
        .filter(outcome -> outcome.isWhole() && !outcome.isRefused())
        .forEach(outcome -> outcome.firstMillis().ifPresent(first::add));
    return first;
  }

  private Samples refusals() {
    var refused = new Samples();
    load.outcomes().stream()
        .filter(ChatOutcome::isRefused)
        .forEach(outcome -> refused.add(outcome.headMillis()));
    return refused;
  }

  String text() {
    Samples first = firstTokens();
    Samples refused = refusals();
    List<ChatOutcome> bad = load.outcomes().stream().filter(ChatOutcome::isBad).toList();
    long answered = load.outcomes().stream().filter(ChatOutcome::isWhole).count();
    return String.format(
        Locale.ROOT,
        """
        capacity               %.1f answers/s
        load                   %.1f requests/s for %.0f s, %d in all
        answered under load    %.1f answers/s, %.0f %% of the capacity
        answered in all        %d; first token after %.0f ms (p50), %.0f ms (p99)
        refused with 429       %d; after %.0f ms (p50), %.0f ms (p99)
        neither                %d %s
        quick again after      %.1f s
        """,
        capacity,
        capacity * factor,
        load.seconds(),
        load.outcomes().size(),
        load.goodput(),
        100 * load.goodput() / capacity,
        answered,
        first.percentile(50),
        first.percentile(99),
        refused.count(),
        refused.percentile(50),
        refused.percentile(99),
        bad.size(),
        bad.isEmpty() ? "" : bad.stream().map(ChatOutcome::status).distinct().toList().toString(),
        quickAfterSeconds());
  }
}
