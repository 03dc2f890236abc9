package io.sluice.router.classify;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * How soon requests of the pool's tiers want their first token if they do not say it themselves.
 *
 * @param byTier the time from the append time; a tier that is absent has no objective
 */
public record TierObjectives(Map<String, Duration> byTier) {
  /** A pool whose requests want no objective but their own. */
  public static final TierObjectives NONE = new TierObjectives(Map.of());

  public TierObjectives {
    byTier = Map.copyOf(byTier);
  }

  /**
   * Parses {@code tier=milliseconds,...}. An empty text means no objectives.
   *
   * @throws IllegalArgumentException if an entry does not have this form
   */
  public static TierObjectives parse(String text) {
    Map<String, Duration> byTier = new LinkedHashMap<>();
    for (String entry : text.split(",", -1)) {
      if (entry.isBlank()) {
        continue;
      }
      String[] parts = entry.strip().split("=", -1);
      String tier = parts[0].strip().toLowerCase(Locale.ROOT);
      if (parts.length != 2 || !parts[1].strip().matches("[1-9]\\d{0,8}")) {
        throw new IllegalArgumentException(
            "tier objective '%s' must be written as tier=milliseconds, e.g. fast=1000"
                .formatted(entry.strip()));
      }
      byTier.put(tier, Duration.ofMillis(Long.parseLong(parts[1].strip())));
    }
    return new TierObjectives(byTier);
  }

  /**
   * Checks that these are tiers of a pool.
   *
   * @throws IllegalArgumentException if there is another one
   */
  public void check(List<String> tiers) {
    for (String tier : byTier.keySet()) {
      if (!tiers.contains(tier)) {
        throw new IllegalArgumentException(
            "tier objective '%s' must name a tier of the pool: %s"
                .formatted(
                    tier, tiers.isEmpty() ? "it has none (--tiers)" : String.join(", ", tiers)));
      }
    }
  }

  /**
   * Returns how soon a request wants its first token if it does not say it: as its best tier does.
   */
  public Optional<Duration> of(Classification classification) {
    return classification.tiers().stream().findFirst().map(byTier::get);
  }
}
