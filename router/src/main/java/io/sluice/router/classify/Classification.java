package io.sluice.router.classify;

import java.util.List;
import java.util.Optional;

/**
 * What was found out of a request.
 *
 * @param tiers the tiers that may serve it, the best one first; empty for any
 * @param needs its options that some engines refuse, such as {@code best_of}; in the order of their
 *     names
 * @param text the kind of its text, {@code code}; empty for any other
 */
public record Classification(List<String> tiers, List<String> needs, Optional<String> text) {
  /** Of a request about which nothing is special. */
  public static final Classification NONE =
      new Classification(List.of(), List.of(), Optional.empty());

  /** What an older router did not store is empty. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public Classification {
    tiers = tiers == null ? List.of() : List.copyOf(tiers);
    needs = needs == null ? List.of() : needs.stream().sorted().toList();
    text = text == null ? Optional.empty() : text;
  }

  /** The same for a model that has no tiers. */
  public Classification inAnyTier() {
    return new Classification(List.of(), needs, text);
  }
}
