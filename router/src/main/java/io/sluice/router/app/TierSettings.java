package io.sluice.router.app;

import io.sluice.config.Setting;
import io.sluice.router.classify.ClassifierRules;
import io.sluice.router.classify.TierObjectives;
import java.util.List;

/**
 * The pool's tiers, and how requests are put into them.
 *
 * @param names from the quickest to the most precise
 * @param words two limits of a prompt's words
 * @param outputTokens two limits of {@code max_tokens}
 * @param exactTemperature at most this hot, complex requests are for the most precise tier
 * @param objectives how soon requests of a tier want their first token if they do not say it
 */
public record TierSettings(
    @Setting(
            key = "tiers",
            defaultValue = ClassifierRules.STANDARD_TIERS,
            unit = "names",
            meaning =
                "The quality tiers, quickest first. A request without a tier is put into one."
                    + " Empty: a pool without tiers. Workers without a tier serve every tier.")
        List<String> names,
    @Setting(
            key = "tier-words",
            defaultValue = "150,300",
            unit = "words",
            meaning =
                "Prompts of more words than the first number are not for the quickest tier, of more"
                    + " than the second they are complex.")
        String words,
    @Setting(
            key = "tier-output",
            environment = "SLUICE_TIER_OUTPUT_TOKENS",
            defaultValue = "512,1024",
            unit = "tokens",
            meaning = "The same limits for `max_tokens`.")
        String outputTokens,
    @Setting(
            key = "tier-temperature",
            defaultValue = "0.3",
            min = 0,
            max = 10,
            meaning =
                "Complex requests with at most this temperature are for the most precise tier.")
        double exactTemperature,
    @Setting(
            key = "tier-slo-ttft",
            environment = "SLUICE_TIER_SLO_TTFT_MILLIS",
            otherwise = "none",
            unit = "tier=ms,...",
            meaning =
                "How soon interactive and urgent requests of a tier want their first token if they"
                    + " have no `slo-ttft-ms` of their own, such as `fast=1000,balanced=3000`."
                    + " Requests expected to miss it are refused with `overloaded`.")
        TierObjectives objectives) {

  public TierSettings {
    names = List.copyOf(names);
    objectives.check(rules(names, words, outputTokens, exactTemperature).tiers());
  }

  /** Returns the rules by which requests are put into tiers. */
  public ClassifierRules rules() {
    return rules(names, words, outputTokens, exactTemperature);
  }

  private static ClassifierRules rules(
      List<String> names, String words, String outputTokens, double exactTemperature) {
    return ClassifierRules.parse(String.join(",", names), words, outputTokens, exactTemperature);
  }
}
