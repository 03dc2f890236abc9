package io.sluice.simulator.fit;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.SequenceRequest;
import io.sluice.simulator.engine.VirtualEngine;
import io.sluice.simulator.text.TokenIds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Requests and when they come: a Poisson process of prompts and outputs of many lengths, of which
 * some share their beginning. Equal seeds give equal loads.
 *
 * @param arrivals in the order of time
 */
public record Load(List<Arrival> arrivals) {

  /** A request: when it comes, after the start of the load, and what it asks for. */
  record Arrival(long atNanos, int[] prompt, int outputTokens) {}

  private static final int SHORTEST_PROMPT = 16;
  private static final int SHORTEST_OUTPUT = 8;
  private static final int PREFIXES = 4;
  private static final double SHARING = 0.4;
  private static final long LONGEST_RUN = Duration.ofHours(1).toNanos();

  /** Copies the list. */
  public Load {
    arrivals = List.copyOf(arrivals);
  }

  /**
   * Makes a load.
   *
   * @param perSecond requests a second in the mean
   * @param maxModelLen the engine's context in tokens: prompts take up to 60 % of it, outputs 10 %
   */
  public static Load of(long seed, int requests, double perSecond, int maxModelLen) {
    SplittableRandom random = new SplittableRandom(seed);
    Prompts prompts = new Prompts(seed);
    List<int[]> prefixes = new ArrayList<>();
    for (int i = 0; i < PREFIXES; i++) {
      prefixes.add(prompts.next(maxModelLen / 4));
    }
    List<Arrival> arrivals = new ArrayList<>();
    double at = 0;
    for (int i = 0; i < requests; i++) {
      at += -Math.log(1 - random.nextDouble()) / perSecond;
      boolean shares = random.nextDouble() < SHARING;
      int[] prefix = shares ? prefixes.get(random.nextInt(PREFIXES)) : new int[0];
      int longest = Math.max(SHORTEST_PROMPT, maxModelLen * 6 / 10 - prefix.length);
      int[] rest = prompts.next(between(random, SHORTEST_PROMPT, longest));
      int output = between(random, SHORTEST_OUTPUT, maxModelLen / 10);
      arrivals.add(new Arrival((long) (at * 1e9), joined(prefix, rest), output));
    }
    return new Load(arrivals);
  }

  /**
   * Returns how many of such requests a second an engine can do: those of the load as fast as they
   * go when all of them are there at once.
   */
  public double capacity(EngineConfig config) {
    VirtualEngine engine = new VirtualEngine(config, (sequence, token, endNanos) -> {});
    for (int i = 0; i < arrivals.size(); i++) {
      Arrival arrival = arrivals.get(i);
      engine.submit(
          new SequenceRequest(
              i, TokenIds.of(arrival.prompt()), arrival.outputTokens(), Set.of(), 0, () -> 1));
    }
    if (!engine.runToEnd(LONGEST_RUN)) {
      throw new IllegalStateException(
          "The profile is so slow that %d requests take more than an hour: ask for fewer."
              .formatted(arrivals.size()));
    }
    return arrivals.size() * 1e9 / engine.nowNanos();
  }

  /** Short and long ones are equally likely on a logarithmic scale. */
  private static int between(SplittableRandom random, int shortest, int longest) {
    double ratio = Math.max(1, (double) longest / shortest);
    return (int) Math.round(shortest * Math.pow(ratio, random.nextDouble()));
  }

  private static int[] joined(int[] first, int[] second) {
    return TokenIds.of(first).plus(TokenIds.of(second)).toArray();
  }
}
