package io.sluice.router.catalog;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many tokens a model's own tokenizer, and chat template, make of one that is estimated:
 * learned from what engines say that prompts came to. It is the median of the last 31 answers, so
 * that a few odd prompts change nothing; 1 before there were five, and 0.25 to 8 at all times.
 *
 * <p>A router learns from the answers of its own partitions, over which requests are spread by
 * their ids. Of a model that has not answered it often enough, it takes what other routers have
 * learned. Thread-safe.
 */
public final class PromptFactors {
  static final double LEAST = 0.25;
  static final double MOST = 8;
  public static final int ENOUGH = 5;

  private static final int KEPT = 31;

  /** Of a shorter prompt, most is what the template adds. */
  private static final int SHORTEST_TOKENS = 32;

  /** Names are the callers', though only those that were served are learned. */
  private static final int MOST_MODELS = 1_000;

  private final ConcurrentMap<String, Ratios> models = new ConcurrentHashMap<>();
  private volatile Map<String, Double> heard = Map.of();

  /** The factor for a model's prompts. */
  public double of(String model) {
    Ratios ratios = models.get(model);
    return ratios != null && ratios.isLearned() ? ratios.factor : heard.getOrDefault(model, 1.0);
  }

  /** What this router has learned itself, by model. */
  public Map<String, Double> learned() {
    Map<String, Double> learned = new HashMap<>();
    models.forEach(
        (model, ratios) -> {
          if (ratios.isLearned()) {
            learned.put(model, ratios.factor);
          }
        });
    return learned;
  }

  /**
   * Routers tell what they have learned. Of several that know a model one counts; what nobody tells
   * any more, as after a restart of all, is remembered.
   */
  public void hear(Collection<Map<String, Double>> learned) {
    Map<String, Double> all = new HashMap<>(heard);
    for (Map<String, Double> factors : learned) {
      factors.forEach(
          (model, factor) -> {
            if (all.containsKey(model) || all.size() < MOST_MODELS) {
              all.put(model, Math.clamp(factor, LEAST, MOST));
            }
          });
    }
    heard = all;
  }

  /**
   * An engine has told how long a prompt was.
   *
   * @param estimatedTokens what it was estimated at, without this factor; 0 if that cannot be
   *     compared
   */
  public void answered(String model, long estimatedTokens, long promptTokens) {
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
    private volatile double factor;

    /** Whether there is a factor. */
    boolean isLearned() {
      return factor > 0;
    }

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
