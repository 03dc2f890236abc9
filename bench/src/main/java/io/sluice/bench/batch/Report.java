package io.sluice.bench.batch;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;

/**
 * The result of a run.
 *
 * @param kills the kills that were done, as text
 * @param took the time from the start of the batch command to its end
 */
record Report(BatchRun.Options options, List<String> kills, Verdict verdict, Duration took) {
  private static final int SHOWN = 20;

  Report {
    kills = List.copyOf(kills);
  }

  boolean isClean() {
    return verdict.findings().isEmpty();
  }

  void print(PrintWriter out) {
    out.printf("%nbatch of %d lines, seed %d%n", options.lines(), options.seed());
    out.printf("kills             %d of %d%n", kills.size(), options.kills());
    kills.forEach(kill -> out.printf("                  %s%n", kill));
    out.print(verdict.shown());
    out.printf("time              %.1f s%n", took.toMillis() / 1e3);
    List<String> findings = verdict.findings();
    out.printf("findings          %d%n", findings.size());
    findings.stream().limit(SHOWN).forEach(finding -> out.printf("  %s%n", finding));
    out.flush();
  }
}
