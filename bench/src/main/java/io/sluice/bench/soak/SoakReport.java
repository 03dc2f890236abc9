package io.sluice.bench.soak;

import io.sluice.bench.report.Report;
import io.sluice.bench.stat.Samples;
import io.sluice.bench.traffic.ChatOutcome;
import io.sluice.config.TextTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What a pool did under a steady load.
 *
 * @param services since the load had settled
 * @param kafka the process of the benchmark, in which Kafka runs: the longer its log, the more of
 *     its files are open
 * @param disk of Kafka's data, MiB
 * @param recordsLeave whether Kafka deletes as much as it gets, so that its data may not grow
 * @param outcomes what callers saw, in the order of sending
 * @param time how long the load lasted
 */
record SoakReport(
    List<ProcessTrend> services,
    ProcessTrend kafka,
    Trend disk,
    boolean recordsLeave,
    List<ChatOutcome> outcomes,
    Duration time) {
  /** In a minute: a leak of this size takes a day to fill a gigabyte and a half. */
  private static final double MOST_MIB = 1;

  /** In a minute. Pools of threads and connections grow by a few, and shrink again. */
  private static final double MOST_HANDLES = 0.5;

  SoakReport {
    services = List.copyOf(services);
    outcomes = List.copyOf(outcomes);
  }

  /** Returns what is not as it should be. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    for (ProcessTrend process : processes()) {
      check(process.name(), "memory (MiB)", process.memory(), MOST_MIB, problems);
      check(process.name(), "threads", process.threads(), MOST_HANDLES, problems);
    }
    for (ProcessTrend process : recordsLeave ? processes() : services) {
      check(process.name(), "descriptors", process.descriptors(), MOST_HANDLES, problems);
    }
    if (recordsLeave) {
      check(kafka.name(), "data (MiB)", disk, MOST_MIB, problems);
    }
    long lost = outcomes.stream().filter(outcome -> !outcome.isWhole()).count();
    if (lost > 0) {
      problems.add(lost + " requests were not answered");
    }
    return problems;
  }

  private List<ProcessTrend> processes() {
    return Stream.concat(services.stream(), Stream.of(kafka)).toList();
  }

  private static void check(
      String process, String what, Trend trend, double most, List<String> problems) {
    if (trend.perMinute() > most) {
      problems.add(
          String.format(
              Locale.ROOT, "%s: %s grow by %.2f a minute", process, what, trend.perMinute()));
    }
  }

  String text() {
    var trends =
        new TextTable().left("process").right("memory MiB", "threads", "descriptors", "cores");
    for (ProcessTrend process : processes()) {
      trends.row(
          process.name(),
          shown(process.memory()),
          shown(process.threads()),
          shown(process.descriptors()),
          String.format(Locale.ROOT, "%.3f", process.cores()));
    }
    int half = outcomes.size() / 2;
    var others =
        new TextTable()
            .left("", "")
            .row("Kafka's data", shown(disk) + " MiB")
            .row(
                "requests",
                "%d in %d min, %d answered"
                    .formatted(
                        outcomes.size(),
                        time.toMinutes(),
                        outcomes.stream().filter(ChatOutcome::isWhole).count()))
            .row(
                "first token",
                "%s in the first half, %s in the second"
                    .formatted(
                        first(outcomes.subList(0, half)),
                        first(outcomes.subList(half, outcomes.size()))));
    return trends + System.lineSeparator() + others;
  }

  Report figures() {
    var report = new Report();
    for (ProcessTrend process : processes()) {
      report
          .group("")
          .add("memory at the end, MiB", process.name(), process.memory().last())
          .add("memory, MiB more per minute", process.name(), process.memory().perMinute())
          .add("threads, more per minute", process.name(), process.threads().perMinute())
          .add("descriptors, more per minute", process.name(), process.descriptors().perMinute())
          .add("cores", process.name(), process.cores());
    }
    return report;
  }

  private static String shown(Trend trend) {
    return String.format(
        Locale.ROOT, "%.0f -> %.0f, %+.2f/min", trend.first(), trend.last(), trend.perMinute());
  }

  private static String first(List<ChatOutcome> some) {
    var times = new Samples();
    some.forEach(outcome -> outcome.firstMillis().ifPresent(times::add));
    return String.format(
        Locale.ROOT, "%.0f ms (p50), %.0f ms (p99)", times.percentile(50), times.percentile(99));
  }
}
