package io.sluice.simulator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import io.sluice.simulator.text.TokenIds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Properties of any engine under any load of prompts with shared prefixes. */
class EnginePropertyTest {

  private static final int CONTEXT = 200;
  private static final int STEPS = 50_000;

  @Property(tries = 150)
  void blocksAndBudgetAreRespectedAndAllBlocksAreFreeAtTheEnd(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 8) int maxNumSeqs,
      @ForAll @IntRange(min = 8, max = 120) int budget,
      @ForAll @IntRange(min = 14, max = 60) int kvBlocks,
      @ForAll SchedulingPolicy policy) {
    // Given
    SplittableRandom random = new SplittableRandom(seed);
    CacheContent content = new CacheContent();
    Scheduling rules = new Scheduling(maxNumSeqs, budget, 0, policy, 2, false);
    Engine engine = new Engine(config(rules, kvBlocks), content);
    List<SequenceRequest> requests = requests(random, 25);

    // When
    int submitted = 0;
    int outputs = 0;
    int expected = 0;
    for (int i = 0; i < STEPS && (engine.hasWork() || submitted < requests.size()); i++) {
      while (submitted < requests.size() && (random.nextInt(4) > 0 || !engine.hasWork())) {
        SequenceRequest request = requests.get(submitted++);
        engine.submit(request);
        expected += Math.min(request.maxTokens(), CONTEXT - request.prompt().size());
      }
      StepResult step = engine.step(i);
      outputs += step.outputs().size();

      // Then
      assertThat(step.summary().prefillTokens() + step.summary().decodeSequences())
          .isBetween(0, budget);
      EngineStats stats = engine.stats();
      assertThat(stats.kvUsage()).isBetween(0.0, 1.0);
      assertThat(stats.running()).isLessThanOrEqualTo(maxNumSeqs);
      assertThat(stats.deferred()).isLessThanOrEqualTo(stats.waiting());
      assertThat(stats.prefixHitTokens()).isLessThanOrEqualTo(stats.prefixQueriedTokens());
      assertThat(content.hashes.size()).isLessThan(kvBlocks);
    }
    assertThat(engine.hasWork()).isFalse();
    assertThat(outputs).isEqualTo(expected);
    assertThat(engine.stats().kvUsage()).isZero();
    assertThat(engine.resetPrefixCache(false)).isTrue();
    assertThat(content.hashes).isEmpty();
  }

  @Property(tries = 100)
  void theOutputOfASequenceDependsOnNothingButItself(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 8) int maxNumSeqs,
      @ForAll @IntRange(min = 14, max = 40) int kvBlocks) {
    // Given: many blocks and one request at a time without a cache; and few blocks with a cache
    Map<Long, List<Integer>> alone = outputs(config(Scheduling.of(1, 1000), 200, false), seed);

    Map<Long, List<Integer>> crowded =
        outputs(config(Scheduling.of(maxNumSeqs, 40), kvBlocks), seed);

    assertThat(crowded).isEqualTo(alone);
  }

  @Property(tries = 100)
  void firstComeFirstServedNeverReordersSequences(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int maxNumSeqs) {
    // Given
    Engine engine = new Engine(config(Scheduling.of(maxNumSeqs, 50), 30));
    requests(new SplittableRandom(seed), 25).stream()
        .map(request -> Schedule.scoped(request, CacheScope.SHARED))
        .forEach(engine::submit);

    // When
    Map<Long, Long> scheduled = new HashMap<>();
    for (int i = 0; i < STEPS && engine.hasWork(); i++) {
      engine
          .step(i)
          .outputs()
          .forEach(output -> scheduled.put(output.sequenceId(), output.scheduledNanos()));
    }

    // Then
    for (long id = 1; id < 25; id++) {
      assertThat(scheduled.get(id)).isGreaterThanOrEqualTo(scheduled.get(id - 1));
    }
  }

  @Property(tries = 60)
  void abortingAtAnyTimeGivesEveryBlockBack(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Engine engine = new Engine(config(Scheduling.of(6, 60), 25));
    requests(random, 20).forEach(engine::submit);

    for (int i = 0; i < 60; i++) {
      engine.step(i);
      engine.abort(random.nextInt(20));
    }
    for (long id = 0; id < 20; id++) {
      engine.abort(id);
    }

    assertThat(engine.hasWork()).isFalse();
    assertThat(engine.stats().kvUsage()).isZero();
    assertThat(engine.stats().waiting()).isZero();
  }

  private static Map<Long, List<Integer>> outputs(EngineConfig config, long seed) {
    Map<Long, List<Integer>> outputs = new HashMap<>();
    VirtualEngine engine =
        new VirtualEngine(
            config,
            (sequence, token, endNanos) ->
                outputs
                    .computeIfAbsent(sequence.request().id(), id -> new ArrayList<>())
                    .add(token));
    requests(new SplittableRandom(seed), 20).forEach(engine::submit);
    assertThat(engine.runToEnd(Long.MAX_VALUE / 2)).isTrue();
    return outputs;
  }

  /** Prompts of three families with a shared prefix each; some have a salt or an adapter. */
  private static List<SequenceRequest> requests(SplittableRandom random, int count) {
    List<SequenceRequest> requests = new ArrayList<>();
    for (int id = 0; id < count; id++) {
      int[] prompt = new int[random.nextInt(1, CONTEXT)];
      int family = random.nextInt(3);
      int common = random.nextInt(prompt.length + 1);
      for (int i = 0; i < prompt.length; i++) {
        prompt[i] = i < common ? family * 1000 + i : random.nextInt(50_000);
      }
      SplittableRandom tokens = new SplittableRandom(id);
      CacheScope scope =
          switch (random.nextInt(6)) {
            case 0 -> CacheScope.SHARED.withSalt("salt");
            case 1 -> CacheScope.SHARED.withLora("adapter-" + random.nextInt(4));
            case 2 -> CacheScope.SHARED.withoutReading();
            default -> CacheScope.SHARED;
          };
      requests.add(
          new SequenceRequest(
              id,
              TokenIds.of(prompt),
              random.nextInt(1, 60),
              Set.of(),
              0,
              () -> tokens.nextInt(50_000),
              random.nextInt(3),
              scope,
              RepetitionRule.NONE));
    }
    return requests;
  }

  private static EngineConfig config(Scheduling rules, int kvBlocks) {
    return config(rules, kvBlocks, true);
  }

  private static EngineConfig config(Scheduling rules, int kvBlocks, boolean prefixCaching) {
    return new EngineConfig(
        Timing.of(GpuProfile.H100), rules, CONTEXT, kvBlocks, 16, prefixCaching);
  }

  /**
   * The cache from a listener's view: no block is stored twice, or removed without being stored.
   */
  private static final class CacheContent implements BlockListener {

    private final Set<Long> hashes = new HashSet<>();

    @Override
    public void stored(long hash) {
      assertThat(hashes.add(hash)).isTrue();
    }

    @Override
    public void removed(long hash) {
      assertThat(hashes.remove(hash)).isTrue();
    }

    @Override
    public void allCleared() {
      hashes.clear();
    }
  }
}
