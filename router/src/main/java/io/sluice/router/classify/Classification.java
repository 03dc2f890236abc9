package io.sluice.router.classify;

import java.util.List;
import java.util.Optional;

/**
 * The result of classifying a request.
 *
 * @param tiers the tiers that may serve it, the best one first; empty for any
 * @param needs its options that some engines refuse, such as {@code best_of}, ordered by name
 * @param text the kind of its text, {@code code}; empty for any other
 */
public record Classification(List<String> tiers, List<String> needs, Optional<String> text) {
  /** The classification of a request without special properties. */
  public static final Classification NONE =
      new Classification(List.of(), List.of(), Optional.empty());

  /** Fields that an older router did not store are empty. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public Classification {
    tiers = tiers == null ? List.of() : List.copyOf(tiers);
    needs = needs == null ? List.of() : List.copyOf(needs).stream().sorted().toList();
    text = text == null ? Optional.empty() : text;
  }

  /** Returns the same for a model without tiers. */
  public Classification inAnyTier() {
    return new Classification(List.of(), needs, text);
  }
}
