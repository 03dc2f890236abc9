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
 * Requests and their arrival times: a Poisson process with prompts and outputs of many lengths,
 * some of which share a prefix. Equal seeds give equal loads.
 *
 * @param arrivals the arrivals in order of time
 */
public record Load(List<Arrival> arrivals) {

  /** A request: its arrival time after the start of the load, its prompt and its output length. */
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
   * Creates a load.
   *
   * @param perSecond the mean number of requests per second
   * @param maxModelLen the engine's context in tokens: prompts use up to 60 % of it, outputs 10 %
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
   * Returns the capacity of an engine in requests per second: the throughput of this load if all
   * requests are there at the start.
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
          "The profile is so slow that %d requests take more than an hour: use fewer requests."
              .formatted(arrivals.size()));
    }
    return arrivals.size() * 1e9 / engine.nowNanos();
  }

  /** Draws a length. On a logarithmic scale, short and long ones are equally likely. */
  private static int between(SplittableRandom random, int shortest, int longest) {
    double ratio = Math.max(1, (double) longest / shortest);
    return (int) Math.round(shortest * Math.pow(ratio, random.nextDouble()));
  }

  private static int[] joined(int[] first, int[] second) {
    return TokenIds.of(first).plus(TokenIds.of(second)).toArray();
  }
}
