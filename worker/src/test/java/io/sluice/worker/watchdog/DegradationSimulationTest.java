package io.sluice.worker.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import io.sluice.worker.health.EngineSample;
import io.sluice.worker.health.EngineTotals;
import io.sluice.worker.testing.CountingEngine;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A simulated engine under traffic that changes with the time of day. */
@Tag("slow")
class DegradationSimulationTest {
  private static final Duration PROBE = Duration.ofSeconds(3);
  private static final int PROBES_OF_AN_HOUR = (int) Duration.ofHours(1).dividedBy(PROBE);
  private static final GpuProfile GPU = GpuProfile.A100_80;
  private static final EngineConfig CONFIG =
      new EngineConfig(
          Timing.of(GPU),
          Scheduling.of(GPU.maxNumSeqs(), GPU.maxNumBatchedTokens()),
          32_768,
          12_000,
          GPU.blockTokens(),
          true);

  private final CountingEngine engine = new CountingEngine(CONFIG);
  private final Diagnosis diagnosis = new Diagnosis(Duration.ofSeconds(30));
  private SplittableRandom random = new SplittableRandom(0);
  private List<int[]> systemPrompts = List.of();
  private int startHour;
  private double nextArrival;
  private double lost;
  private EngineTotals before = engine.totals();

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 9", "3, 17"})
  void aHealthyEngineIsLeftAloneForADay(int seed, int hour) {
    traffic(seed, hour);

    Set<Symptom> symptoms = EnumSet.noneOf(Symptom.class);
    for (int probe = 1; probe <= PROBES_OF_AN_HOUR * 24; probe++) {
      run(probe, 0);
      diagnosis.symptom().ifPresent(symptoms::add);
    }

    assertThat(symptoms).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 9", "3, 17"})
  void anEngineThatLosesMemoryAndSpeedIsNoticedBeforeItFails(int seed, int hour) {
    traffic(seed, hour);
    int start = 2 * PROBES_OF_AN_HOUR;
    double blocks = 0.9 * CONFIG.kvBlocks() / (6 * PROBES_OF_AN_HOUR);

    int probe = 0;
    while (diagnosis.symptom().isEmpty() && probe < start + 6 * PROBES_OF_AN_HOUR) {
      probe++;
      run(probe, probe < start ? 0 : blocks);
    }

    assertThat(diagnosis.symptom()).isPresent();
    assertThat(probe).isGreaterThan(start);
    assertThat(lost / CONFIG.kvBlocks()).isLessThan(0.5);
  }

  private void traffic(int seed, int hour) {
    startHour = hour;
    random = new SplittableRandom(seed);
    systemPrompts =
        List.of(
            random.ints(800, 1, 100_000).toArray(),
            random.ints(1_600, 1, 100_000).toArray(),
            random.ints(300, 1, 100_000).toArray());
  }

  /** Runs until the next probe; meanwhile the engine loses blocks. */
  private void run(int probe, double blocks) {
    long end = probe * PROBE.toNanos();
    arrivals(end);
    engine.runUntil(end);
    lose(blocks);
    EngineTotals totals = engine.totals();
    diagnosis.observe(
        new EngineSample(
            0,
            totals.since(before),
            PROBE,
            engine.stats().running() + engine.stats().waiting(),
            engine.contextTokens(),
            engine.stats().waiting(),
            OptionalDouble.of(engine.stats().kvUsage())));
    before = totals;
  }

  private void lose(double blocks) {
    int whole = (int) (lost + blocks) - (int) lost;
    lost += blocks;
    if (whole > 0) {
      engine.decline(whole, 1 + lost / CONFIG.kvBlocks());
    }
  }

  private void arrivals(long endNanos) {
    while (nextArrival < endNanos) {
      engine.submit((long) nextArrival, prompt(), 20 + (int) (exponential() * 120));
      nextArrival += exponential() / requestsPerSecond() * 1e9;
    }
  }

  private double hour() {
    return (startHour + nextArrival / Duration.ofHours(1).toNanos()) % 24;
  }

  /** From a few requests a minute at night to 1.2 a second in the afternoon. */
  private double requestsPerSecond() {
    return 0.62 - 0.58 * Math.cos(2 * Math.PI * hour() / 24);
  }

  /** Chats with a system prompt by day, more and more long documents towards the evening. */
  private int[] prompt() {
    if (random.nextDouble() < 0.02 + 0.2 * Math.max(0, (hour() - 14) / 10)) {
      return random.ints(1_500 + (int) (exponential() * 3_000), 1, 100_000).limit(12_000).toArray();
    }
    int[] system = systemPrompts.get(random.nextInt(systemPrompts.size()));
    int[] question = random.ints(20 + (int) (exponential() * 150), 1, 100_000).toArray();
    int[] prompt = Arrays.copyOf(system, system.length + question.length);
    System.arraycopy(question, 0, prompt, system.length, question.length);
    return prompt;
  }

  private double exponential() {
    return -Math.log(1 - random.nextDouble());
  }
}
