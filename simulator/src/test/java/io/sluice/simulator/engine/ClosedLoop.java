package io.sluice.simulator.engine;

import io.sluice.simulator.text.TokenIds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A number of clients on one engine in virtual time. Each client sends its next request when it has
 * the answer to the previous one, as load generators with a fixed concurrency do.
 */
final class ClosedLoop {

  private static final long END = Long.MAX_VALUE / 2;

  private final int promptTokens;
  private final int outputTokens;
  private final VirtualEngine engine;
  private final SplittableRandom random = new SplittableRandom(1);
  private final Map<Long, long[]> times = new HashMap<>();
  private final List<Double> firstTokenMillis = new ArrayList<>();
  private final List<Double> perTokenMillis = new ArrayList<>();
  private int left;
  private long ids;
  private long tokens;

  private ClosedLoop(EngineConfig config, int promptTokens, int outputTokens, int requests) {
    this.promptTokens = promptTokens;
    this.outputTokens = outputTokens;
    this.left = requests;
    this.engine = new VirtualEngine(config, this::take);
  }

  /** The results that the clients observed. */
  record Result(double tokensPerSecond, double tpotMillis, double medianTtftMillis) {}

  static Result run(
      EngineConfig config, int concurrency, int promptTokens, int outputTokens, int rounds) {
    ClosedLoop loop = new ClosedLoop(config, promptTokens, outputTokens, concurrency * rounds);
    for (int i = 0; i < concurrency; i++) {
      loop.send(0);
    }
    loop.engine.runToEnd(END);
    Collections.sort(loop.firstTokenMillis);
    return new Result(
        loop.tokens * 1e9 / loop.engine.nowNanos(),
        loop.perTokenMillis.stream().mapToDouble(Double::doubleValue).average().orElseThrow(),
        loop.firstTokenMillis.get(loop.firstTokenMillis.size() / 2));
  }

  private void send(long nowNanos) {
    if (left-- <= 0) {
      return;
    }
    int[] prompt = new int[promptTokens];
    for (int i = 0; i < promptTokens; i++) {
      prompt[i] = random.nextInt(100_000);
    }
    long id = ids++;
    times.put(id, new long[] {nowNanos, 0});
    engine.submit(new SequenceRequest(id, TokenIds.of(prompt), outputTokens, Set.of(), 0, () -> 1));
  }

  private void take(LiveSequence sequence, int token, long endNanos) {
    tokens++;
    long[] sent = times.get(sequence.request().id());
    if (sequence.outputTokens() == 1) {
      sent[1] = endNanos;
      firstTokenMillis.add((endNanos - sent[0]) / 1e6);
    }
    if (sequence.finish().isPresent()) {
      perTokenMillis.add((endNanos - sent[1]) / 1e6 / Math.max(1, sequence.outputTokens() - 1));
      send(endNanos);
    }
  }
}
