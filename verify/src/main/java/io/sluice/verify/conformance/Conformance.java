package io.sluice.verify.conformance;

import io.sluice.verify.http.Engine;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;

/** Checks an engine against the rules of the engine contract. */
public final class Conformance {

  /**
   * The outcome.
   *
   * @param held the number of rules that the engine follows
   * @param broken the number of rules that it breaks
   * @param skipped the number of rules that cannot be checked on this engine
   */
  public record Summary(int held, int broken, int skipped) {

    @Override
    public String toString() {
      return "%d rules, %d held, %d broken, %d skipped"
          .formatted(held + broken + skipped, held, broken, skipped);
    }
  }

  private Conformance() {}

  /** Returns all rules in the order of the contract. */
  public static List<Rule> rules() {
    return Stream.of(
            ServerRules.all(),
            RequestRules.all(),
            AnswerRules.all(),
            StreamRules.all(),
            ConstraintRules.all(),
            ErrorRules.all())
        .flatMap(List::stream)
        .toList();
  }

  /** Returns the rules whose names contain a text, in the order of the contract. */
  public static List<Rule> rules(String names) {
    return rules().stream().filter(rule -> rule.name().contains(names)).toList();
  }

  /** Checks an engine and prints a line for each rule that is broken or skipped. */
  public static Summary examine(Engine engine, List<Rule> rules, PrintWriter out) {
    int held = 0;
    int broken = 0;
    int skipped = 0;
    for (Rule rule : rules) {
      switch (rule.examine(engine)) {
        case Rule.Verdict.Held() -> held++;
        case Rule.Verdict.Broken(String reason) -> {
          broken++;
          out.println("BROKEN   " + rule.name() + " (" + reason + ")");
        }
        case Rule.Verdict.Skipped(String reason) -> {
          skipped++;
          out.println("skipped  " + rule.name() + " (" + reason + ")");
        }
      }
      out.flush();
    }
    return new Summary(held, broken, skipped);
  }
}
