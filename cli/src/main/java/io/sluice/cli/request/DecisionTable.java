package io.sluice.cli.request;

import io.sluice.common.protocol.RoutingDecision;
import io.sluice.common.protocol.RoutingDecision.Candidate;
import io.sluice.config.PlainText;
import io.sluice.config.TextTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A routing decision as text. */
final class DecisionTable {
  private DecisionTable() {}

  /** Returns the decision as lines, each with its line end: the request, then a line per worker. */
  static String of(RoutingDecision decision) {
    StringBuilder text = new StringBuilder();
    appendLine(
        text,
        "attempt %d went to %s%s at %s, after %d ms%s"
            .formatted(
                decision.attempt(),
                decision.chosen(),
                decision.fallback() ? " (fallback)" : "",
                Instant.ofEpochMilli(decision.atEpochMillis()),
                decision.waitedMillis(),
                decision.prefixWaitMillis() > 0
                    ? ", of which it waited %d for a worker that had its prompt cached"
                        .formatted(decision.prefixWaitMillis())
                    : ""));
    appendLine(
        text,
        "  model %s, lane %s, tier %s, %s, about %s tokens in and %d out; decided by router %s"
            .formatted(
                decision.model(),
                decision.lane(),
                decision.tiers().isEmpty() ? "any" : String.join(" > ", decision.tiers()),
                decision.priority().headerValue(),
                promptTokens(decision),
                decision.outputTokens(),
                decision.router()));
    appendCandidates(text, decision);
    if (!decision.ruledOut().isEmpty()) {
      appendLine(text, "  ruled out: " + ruledOut(decision.ruledOut()));
    }
    return text.toString();
  }

  private static void appendLine(StringBuilder text, String line) {
    text.append(PlainText.line(line)).append(System.lineSeparator());
  }

  /** Returns the meanings of the names that occur in decisions, a line each. */
  static String legend(List<RoutingDecision> decisions, Meanings meanings) {
    TextTable table = new TextTable().left("", "");
    addMeanings(
        table,
        "scorers, from 0 (worst) to 1 (best)",
        meanings.scorers(),
        decisions.stream().flatMap(decision -> scorers(decision).stream()));
    addMeanings(
        table,
        "a filter rules a worker out unless",
        meanings.filters(),
        decisions.stream().flatMap(decision -> decision.ruledOut().keySet().stream()));
    return table.toString();
  }

  private static void addMeanings(
      TextTable table, String title, Map<String, String> meanings, Stream<String> names) {
    Map<String, String> known = new TreeMap<>(meanings);
    known.keySet().retainAll(names.collect(Collectors.toSet()));
    if (!known.isEmpty()) {
      table.line("").line(title);
      known.forEach((name, meaning) -> table.row("  " + name, meaning));
    }
  }

  private static List<String> scorers(RoutingDecision decision) {
    return decision.candidates().stream()
        .flatMap(candidate -> candidate.scores().keySet().stream())
        .distinct()
        .sorted()
        .toList();
  }

  /** Returns the corrected number, with the estimate if they differ. */
  private static String promptTokens(RoutingDecision decision) {
    long estimated = decision.estimatedTokens();
    return estimated == 0 || estimated == decision.promptTokens()
        ? Long.toString(decision.promptTokens())
        : String.format(
            Locale.ROOT,
            "%d (%d estimated, times %.2f for this model)",
            decision.promptTokens(),
            estimated,
            (double) decision.promptTokens() / estimated);
  }

  private static void appendCandidates(StringBuilder text, RoutingDecision decision) {
    List<String> scorers = scorers(decision);
    TextTable table =
        new TextTable()
            .left("  worker")
            .right("score")
            .right(scorers.toArray(String[]::new))
            .left("ruled out by");
    for (Candidate candidate : decision.candidates()) {
      boolean isChosen = candidate.worker().equals(decision.chosen());
      List<String> cells = new ArrayList<>();
      cells.add(candidate.ruledOutBy().isPresent() ? "-" : number(candidate.score()));
      scorers.forEach(scorer -> cells.add(score(candidate, scorer)));
      cells.add(candidate.ruledOutBy().orElse("-"));
      table.row((isChosen ? "> " : "  ") + candidate.worker(), cells.stream());
    }
    text.append(table);
  }

  private static String score(Candidate candidate, String scorer) {
    Double score = candidate.scores().get(scorer);
    return score == null ? "-" : number(score);
  }

  private static String ruledOut(Map<String, Integer> counts) {
    return counts.entrySet().stream()
        .sorted(
            Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()))
        .map(count -> "%d by %s".formatted(count.getValue(), count.getKey()))
        .collect(Collectors.joining(", "));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
