package io.sluice.router.catalog;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many tokens a model's tokenizer and chat template make of one estimated token, learned from
 * the prompt lengths that engines report. The factor is the median of the last 31 answers, so a few
 * unusual prompts change nothing. It is 1 until there are five answers, and always from 0.25 to 8.
 *
 * <p>A router learns from the answers of its own partitions, among which requests are spread by
 * their ids. For a model that has not answered it often enough, it uses what other routers have
 * learned. Thread-safe.
 */
public final class PromptFactors {
  static final double LEAST = 0.25;
  static final double MOST = 8;
  public static final int ENOUGH = 5;

  private static final int KEPT = 31;

  /** In a shorter prompt most tokens come from the template. */
  private static final int SHORTEST_TOKENS = 32;

  /** Callers choose the names, but only models that were served are learned. */
  private static final int MOST_MODELS = 1_000;

  private final ConcurrentMap<String, Ratios> models = new ConcurrentHashMap<>();
  private volatile Map<String, Double> heard = Map.of();

  /** Returns the factor for a model's prompts. */
  public double of(String model) {
    Ratios ratios = models.get(model);
    return ratios != null && ratios.isLearned() ? ratios.factor : heard.getOrDefault(model, 1.0);
  }

  /** Returns what this router has learned itself, by model. */
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
   * Takes over what other routers have learned. If several know a model, one of them counts. What
   * no router reports any longer, for example after all have restarted, is remembered.
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
   * An engine has reported the length of a prompt.
   *
   * @param estimatedTokens the estimate without this factor; 0 if it cannot be compared
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

  /** The ratios of one model, the latest in place of the oldest. */
  private static final class Ratios {
    private final double[] kept = new double[KEPT];
    private int count;
    private int next;
    private volatile double factor;

    /** Returns whether there is a factor. */
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
