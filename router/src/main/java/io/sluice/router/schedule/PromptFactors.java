package io.sluice.router.schedule;

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many tokens a model's own tokenizer, and chat template, make of one that is estimated:
 * learned from what engines say that prompts came to. It is the median of the last 31 answers, so
 * that a few odd prompts change nothing; 1 before there were five, and 0.25 to 8 at all times.
 *
 * <p>Each router learns alone: it hears of the answers of its own partitions, over which requests
 * are spread by their ids, and five of them are enough. Thread-safe.
 */
public final class PromptFactors {
  static final double LEAST = 0.25;
  static final double MOST = 8;
  static final int ENOUGH = 5;

  private static final int KEPT = 31;

  /** Of a shorter prompt, most is what the template adds. */
  private static final int SHORTEST_TOKENS = 32;

  /** Names are the callers', though only those that were served are learned. */
  private static final int MOST_MODELS = 1_000;

  private final ConcurrentMap<String, Ratios> models = new ConcurrentHashMap<>();

  /** The factor for a model's prompts. */
  double of(String model) {
    Ratios ratios = models.get(model);
    return ratios == null ? 1 : ratios.factor;
  }

  /**
   * An engine has told how long a prompt was.
   *
   * @param estimatedTokens what it was estimated at, without this factor; 0 if that cannot be
   *     compared
   */
  void answered(String model, long estimatedTokens, long promptTokens) {
    if (estimatedTokens < SHORTEST_TOKENS || promptTokens <= 0) {
      return;
    }
    if (models.containsKey(model) || models.size() < MOST_MODELS) {
      models
          .computeIfAbsent(model, any -> new Ratios())
          .add((double) promptTokens / estimatedTokens);
    }
  }

  /** Of one model, the latest in place of the oldest. */
  private static final class Ratios {
    private final double[] kept = new double[KEPT];
    private int count;
    private int next;
    private volatile double factor = 1;

    synchronized void add(double ratio) {
      kept[next] = ratio;
      next = (next + 1) % KEPT;
      count = Math.min(count + 1, KEPT);
      if (count >= ENOUGH) {
        double[] sorted = Arrays.copyOf(kept, count);
        Arrays.sort(sorted);
        factor = Math.clamp(sorted[count / 2], LEAST, MOST);
      }
    }
  }
}
