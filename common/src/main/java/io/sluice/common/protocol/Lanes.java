package io.sluice.common.protocol;

import java.util.Arrays;
import java.util.List;

/** The lanes of a pool, shortest first. Never empty, and fixed for the life of the pool. */
public record Lanes(List<Lane> all) {
  public Lanes {
    all = all.stream().sorted().toList();
    if (all.isEmpty()) {
      throw new IllegalArgumentException("a pool has at least one lane");
    }
    if (all.stream().map(Lane::maxTokens).distinct().count() < all.size()) {
      throw new IllegalArgumentException("two lanes are of the same size: " + all);
    }
  }

  /** Returns the lanes 2k, 8k, 32k and 128k. */
  public static Lanes standard() {
    return parse("2k,8k,32k,128k");
  }

  /** Parses a comma-separated list such as {@code 2k,8k,32k}. */
  public static Lanes parse(String text) {
    return new Lanes(Arrays.stream(text.split(",", -1)).map(Lane::parse).toList());
  }

  /** Returns the shortest lane that holds this many tokens, or the longest lane if none does. */
  public Lane holding(long contextTokens) {
    return all.stream()
        .filter(lane -> contextTokens <= lane.maxTokens())
        .findFirst()
        .orElseGet(all::getLast);
  }

  /** Returns the names of the lanes, shortest first. */
  public List<String> names() {
    return all.stream().map(Lane::name).toList();
  }
}
