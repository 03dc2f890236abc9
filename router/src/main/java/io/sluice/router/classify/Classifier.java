package io.sluice.router.classify;

import io.sluice.common.openai.OpenAiRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Classifies requests by the rules of a pool. Reads each prompt once. Thread-safe. */
public final class Classifier {
  /** The tier name that asks for classification; the same as no name. */
  private static final String AUTO = "auto";

  private static final String CODE_BLOCK = "```";

  private final ClassifierRules rules;
  private final List<TierRule> table;

  /** The input of the rules. */
  private record Traits(int words, boolean hasCodeBlock, long outputTokens, double temperature) {}

  /** The first matching rule names the tier, by its index. */
  private record TierRule(int tier, Predicate<Traits> matches) {}

  public Classifier(ClassifierRules rules) {
    this.rules = rules;
    int last = Math.max(0, rules.tiers().size() - 1);
    int middle = rules.tiers().size() / 2;
    this.table =
        List.of(
            new TierRule(
                last, asked -> isComplex(asked) && asked.temperature() <= rules.exactTemperature()),
            new TierRule(
                middle,
                asked ->
                    asked.words() > rules.longWords()
                        || asked.outputTokens() > rules.longOutputTokens()
                        || isNeverQuick(asked)),
            new TierRule(0, asked -> true));
  }

  /** Returns what is wrong with the tier that a request names; empty if nothing is. */
  public Optional<String> problem(Optional<String> tier) {
    if (tier.isEmpty() || tier.get().equals(AUTO) || rules.tiers().contains(tier.get())) {
      return Optional.empty();
    }
    return Optional.of(
        rules.tiers().isEmpty()
            ? "this pool has no tiers; remove the header 'tier'"
            : "header 'tier' must be one of auto, " + String.join(", ", rules.tiers()));
  }

  /**
   * Classifies a request.
   *
   * @param outputTokens the requested output; 0 if the request does not limit it
   * @param tier the tier that it names, accepted by {@link #problem}
   */
  public Classification classify(OpenAiRequest request, long outputTokens, Optional<String> tier) {
    PromptText prompt = new PromptText(request.promptTexts());
    List<String> tiers =
        rules.tiers().isEmpty() ? List.of() : tiers(request, prompt, outputTokens, tier);
    return new Classification(tiers, EngineOptions.askedBy(request), CodeText.kindOf(prompt));
  }

  private List<String> tiers(
      OpenAiRequest request, PromptText prompt, long outputTokens, Optional<String> tier) {
    Traits traits =
        new Traits(
            prompt.words(rules.complexWords() + 1),
            prompt.contains(CODE_BLOCK),
            outputTokens,
            request.temperature());
    int asked = rules.tiers().indexOf(tier.orElse(AUTO));
    int first = asked >= 0 ? asked : byTable(traits);
    List<String> order = new ArrayList<>(rules.from(first));
    // A caller that names the quickest tier gets it. Otherwise code never goes there.
    if (first > 0 && isNeverQuick(traits)) {
      order.remove(rules.tiers().getFirst());
    }
    return order;
  }

  private int byTable(Traits traits) {
    return table.stream()
        .filter(rule -> rule.matches().test(traits))
        .findFirst()
        .orElseThrow()
        .tier();
  }

  private boolean isComplex(Traits asked) {
    return asked.words() > rules.complexWords() || isNeverQuick(asked);
  }

  /** Quantization to few bits costs most in code and long answers. */
  private boolean isNeverQuick(Traits asked) {
    return asked.hasCodeBlock() || asked.outputTokens() > rules.complexOutputTokens();
  }
}
