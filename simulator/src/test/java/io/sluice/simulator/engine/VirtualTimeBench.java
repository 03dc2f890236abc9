package io.sluice.simulator.engine;

import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import io.sluice.simulator.text.TokenIds;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Measures how much faster than real time engines run in virtual time. The arguments are the number
 * of engines, the virtual seconds and the requests per second and engine.
 */
public final class VirtualTimeBench {

  private static final int PROMPT_TOKENS = 300;
  private static final int OUTPUT_TOKENS = 250;

  private VirtualTimeBench() {}

  /** Runs twice, because the first run warms up the compiler. */
  public static void main(String[] args) {
    int engines = Integer.parseInt(args[0]);
    int seconds = Integer.parseInt(args[1]);
    double rate = Double.parseDouble(args[2]);
    for (int round = 0; round < 2; round++) {
      run(engines, seconds, rate);
    }
  }

  private static void run(int engines, int seconds, double rate) {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long[] counts = new long[3];
    long allocatedBefore = threads.getCurrentThreadAllocatedBytes();
    long startNanos = System.nanoTime();
    long startCpuNanos = threads.getCurrentThreadCpuTime();
    for (int i = 0; i < engines; i++) {
      one(i, seconds, rate, counts);
    }
    double wall = (System.nanoTime() - startNanos) / 1e9;
    // On a shared machine, this value describes the engine best.
    double cpu = (threads.getCurrentThreadCpuTime() - startCpuNanos) / 1e9;
    long allocated = threads.getCurrentThreadAllocatedBytes() - allocatedBefore;
    System.out.printf(
        "%d engines x %d s in %.2f s on one thread: %.0f x real time for all of them (%.0f x by its CPU time), %.2f M steps/s, %.1f M tokens/s, mean batch %.0f, %.1f bytes/token%n",
        engines,
        seconds,
        wall,
        seconds / wall,
        seconds / cpu,
        counts[1] / wall / 1e6,
        counts[0] / wall / 1e6,
        (double) counts[0] / counts[1],
        (double) allocated / counts[0]);
  }

  private static void one(int seed, int seconds, double rate, long[] counts) {
    SplittableRandom random = new SplittableRandom(seed);
    EngineConfig config =
        EngineConfig.of(Timing.of(GpuProfile.A100_80).withNoise(seed, 0.03, 1), 8192);
    VirtualEngine engine = new VirtualEngine(config, (sequence, token, endNanos) -> counts[0]++);
    List<TokenIds> prompts = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      prompts.add(
          TokenIds.of(
              IntStream.range(0, PROMPT_TOKENS).map(at -> random.nextInt(100_000)).toArray()));
    }
    double at = 0;
    for (long id = 0; at < seconds; id++) {
      engine.runUntil((long) (at * 1e9));
      engine.submit(
          new SequenceRequest(
              id, prompts.get(random.nextInt(64)), OUTPUT_TOKENS, Set.of(0), 0, () -> 1));
      at += -Math.log(1 - random.nextDouble()) / rate;
    }
    engine.runUntil(seconds * 1_000_000_000L);
    counts[1] += engine.steps();
  }
}
