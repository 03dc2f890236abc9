package io.sluice.simulator.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.StepCost;
import io.sluice.simulator.engine.timing.Timing;
import io.sluice.simulator.text.TokenIds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class EngineTest {

  private static final int EOS = 0;
  private static final long MILLISECOND = 1_000_000;

  @Test
  void anIdleEngineTakesNoTimeAndYieldsNothing() {
    Engine engine = engine(100, 4, 64, 100);

    StepResult step = engine.step(0);

    assertThat(step.durationNanos()).isZero();
    assertThat(step.outputs()).isEmpty();
    assertThat(engine.hasWork()).isFalse();
  }

  @Test
  void aPromptLongerThanTheBudgetIsPrefilledInChunks() {
    Engine engine = engine(1000, 4, 64, 100);
    engine.submit(request(1, 150, 5));

    assertThat(engine.step(0).summary().prefillTokens()).isEqualTo(64);
    assertThat(engine.step(1).summary().prefillTokens()).isEqualTo(64);
    StepResult last = engine.step(2);

    assertThat(last.summary().prefillTokens()).isEqualTo(22);
    assertThat(last.outputs()).hasSize(1);
  }

  @Test
  void decodesComeBeforePrefillsInTheBudget() {
    Engine engine = engine(1000, 4, 64, 100);
    engine.submit(request(1, 10, 50));
    engine.step(0);
    engine.submit(request(2, 100, 50));

    StepResult step = engine.step(1);

    assertThat(step.summary().decodeSequences()).isEqualTo(1);
    assertThat(step.summary().prefillTokens()).isEqualTo(63);
    assertThat(step.outputs()).extracting(TokenOutput::sequenceId).containsExactly(1L);
  }

  @Test
  void noMoreSequencesRunThanAllowed() {
    Engine engine = engine(1000, 2, 512, 100);
    for (int id = 1; id <= 5; id++) {
      engine.submit(request(id, 10, 5));
    }

    engine.step(0);

    assertThat(engine.stats().running()).isEqualTo(2);
    assertThat(engine.stats().waiting()).isEqualTo(3);
  }

  @Test
  void aHeadThatDoesNotFitBlocksThoseBehindIt() {
    // Given: 10 usable blocks, of which the first sequence takes 6
    Engine engine = engine(160, 8, 512, 11);
    engine.submit(request(1, 90, 5));
    engine.submit(request(2, 80, 5));
    engine.submit(request(3, 10, 5));

    engine.step(0);

    assertThat(engine.stats().running()).isEqualTo(1);
    assertThat(engine.stats().waiting()).isEqualTo(2);
    assertThat(engine.stats().kvUsage()).isEqualTo(0.6, within(1e-9));
  }

  @Test
  void withoutFreeBlocksTheNewestIsPreemptedAndStillFinishesLater() {
    // Given: two sequences that fit at first and outgrow the pool
    Engine engine = engine(96, 8, 512, 7);
    engine.submit(request(1, 40, 50));
    engine.submit(request(2, 40, 50));

    // When
    Map<Long, Integer> tokens = new HashMap<>();
    Map<Long, Integer> preemptions = new HashMap<>();
    for (int i = 0; i < 300 && engine.hasWork(); i++) {
      for (TokenOutput output : engine.step(i).outputs()) {
        tokens.merge(output.sequenceId(), 1, Integer::sum);
        preemptions.put(output.sequenceId(), output.preemptions());
      }
    }

    // Then
    assertThat(tokens).containsEntry(1L, 50).containsEntry(2L, 50);
    assertThat(preemptions.get(1L)).isZero();
    assertThat(preemptions.get(2L)).isPositive();
    assertThat(engine.stats().preemptions()).isEqualTo(preemptions.get(2L).longValue());
    assertThat(engine.stats().kvUsage()).isZero();
  }

  @Test
  void endTokensStopAndLimitsTruncateASequence() {
    Engine engine = engine(100, 8, 512, 100);
    engine.submit(new SequenceRequest(1, ids(5), 10, Set.of(EOS), 0, counting(3)));
    engine.submit(new SequenceRequest(2, ids(5), 2, Set.of(EOS), 0, counting(9)));
    engine.submit(new SequenceRequest(3, ids(95), 50, Set.of(EOS), 0, counting(99)));
    engine.submit(new SequenceRequest(4, ids(5), 10, Set.of(EOS), 5, counting(3)));

    Map<Long, TokenOutput> last = new HashMap<>();
    Map<Long, Integer> tokens = new HashMap<>();
    for (int i = 0; i < 20; i++) {
      for (TokenOutput output : engine.step(i).outputs()) {
        last.put(output.sequenceId(), output);
        tokens.merge(output.sequenceId(), 1, Integer::sum);
      }
    }

    assertThat(last.get(1L).finish()).contains(FinishReason.STOP);
    assertThat(tokens.get(1L)).isEqualTo(3);
    assertThat(last.get(2L).finish()).contains(FinishReason.LENGTH);
    assertThat(tokens.get(2L)).isEqualTo(2);
    assertThat(last.get(3L).finish()).contains(FinishReason.LENGTH);
    assertThat(tokens.get(3L)).isEqualTo(5);
    assertThat(tokens.get(4L)).isEqualTo(6);
  }

  @Test
  void abortingFreesTheBlocksWhetherRunningOrWaiting() {
    Engine engine = engine(100, 1, 512, 100);
    engine.submit(request(1, 50, 50));
    engine.submit(request(2, 50, 50));
    engine.step(0);

    assertThat(engine.abort(1)).isTrue();
    assertThat(engine.abort(2)).isTrue();
    assertThat(engine.abort(2)).isFalse();

    assertThat(engine.hasWork()).isFalse();
    assertThat(engine.stats().kvUsage()).isZero();
  }

  @Test
  void aKvCacheSmallerThanTheContextIsRejectedWithAdvice() {
    assertThatThrownBy(() -> engine(1000, 4, 64, 10))
        .hasMessageContaining("lower max-model-len or raise kv-blocks");
  }

  @Property(tries = 60)
  void everySequenceGetsAllItsTokensUnderAnyLoad(
      @ForAll @Size(min = 1, max = 25) List<@IntRange(min = 1, max = 150) Integer> prompts,
      @ForAll @IntRange(min = 1, max = 6) int maxNumSeqs,
      @ForAll @IntRange(min = 8, max = 100) int budget) {
    // Given
    Engine engine = engine(200, maxNumSeqs, budget, 20);
    for (int i = 0; i < prompts.size(); i++) {
      engine.submit(request(i, prompts.get(i), 40));
    }

    // When
    Map<Long, Integer> tokens = new HashMap<>();
    List<Optional<FinishReason>> ends = new ArrayList<>();
    for (int i = 0; i < 20_000 && engine.hasWork(); i++) {
      StepResult step = engine.step(i);
      assertThat(step.summary().prefillTokens() + step.summary().decodeSequences())
          .isBetween(1, budget);
      assertThat(engine.stats().kvUsage()).isBetween(0.0, 1.0);
      assertThat(engine.stats().running()).isLessThanOrEqualTo(maxNumSeqs);
      for (TokenOutput output : step.outputs()) {
        tokens.merge(output.sequenceId(), 1, Integer::sum);
        output.finish().ifPresent(reason -> ends.add(Optional.of(reason)));
      }
    }

    // Then
    assertThat(engine.hasWork()).isFalse();
    assertThat(engine.stats().kvUsage()).isZero();
    assertThat(ends).hasSize(prompts.size());
    for (int i = 0; i < prompts.size(); i++) {
      assertThat(tokens).containsEntry((long) i, Math.min(40, 200 - prompts.get(i)));
    }
  }

  @Test
  void onlyWholeBlocksOfTheEnginesSizeAreCacheHits() {
    for (int blockTokens : new int[] {16, 32, 128}) {
      Engine engine =
          new Engine(
              new EngineConfig(
                  Timing.of(GpuProfile.H100),
                  Scheduling.of(4, 1000),
                  1000,
                  100,
                  blockTokens,
                  true));
      engine.submit(request(1, 300, 1));
      engine.step(0);
      engine.submit(new SequenceRequest(2, prompt(1, 300), 1, Set.of(EOS), 0, () -> 1));

      int computed = engine.step(1).summary().prefillTokens();

      assertThat(computed).isEqualTo(300 - 299 / blockTokens * blockTokens);
      assertThat(engine.stats().prefixHitTokens()).isEqualTo(300 - computed);
    }
  }

  @Test
  void aPromptTokenTakesLongerTheMoreTokensPrecedeItIncludingCachedOnes() {
    var attention = new StepCost(0, 0, 1, 0, 0, 0);
    var profile = new GpuProfile("mine", attention, 0, 1, 100, 16, 64, 4, 1000, 0, true);
    Engine engine = new Engine(config(Timing.of(profile), 1000, 4, 64, 100));

    engine.submit(request(1, 100, 1));

    assertThat(engine.step(0).durationNanos()).isEqualTo(64 * 32 * MILLISECOND);
    assertThat(engine.step(0).durationNanos()).isEqualTo(36 * (64 + 18) * MILLISECOND);

    engine.submit(new SequenceRequest(2, prompt(1, 100), 1, Set.of(EOS), 0, () -> 1));
    assertThat(engine.step(0).durationNanos()).isEqualTo(4 * (96 + 2) * MILLISECOND);
  }

  @Test
  void withAsyncSchedulingASequenceThatArrivesDuringAStepIsAdmittedTwoStepsLater() {
    Engine engine = ahead();
    engine.submit(request(1, 10, 50));

    assertThat(engine.step(0).summary().prefillTokens()).isEqualTo(10);
    engine.submit(request(2, 20, 50));
    assertThat(engine.stats().waiting()).isEqualTo(1);

    assertThat(engine.step(1).summary().prefillTokens()).isZero();
    assertThat(engine.step(2).summary().prefillTokens()).isEqualTo(20);
    assertThat(engine.stats().waiting()).isZero();
  }

  @Test
  void aSequenceThatLeavesBeforeItsStepIsRemoved() {
    Engine engine = ahead();
    engine.submit(request(1, 10, 1));
    engine.step(0);
    engine.submit(request(2, 20, 50));

    assertThat(engine.abort(2)).isTrue();

    assertThat(engine.stats().waiting()).isZero();
    assertThat(engine.step(1).durationNanos()).isZero();
  }

  private static Engine ahead() {
    EngineConfig config = config(Timing.of(GpuProfile.H100), 1000, 4, 512, 100);
    return new Engine(config.withScheduling(config.scheduling().withAsync(true)));
  }

  @Test
  void equalCallsGiveEqualSteps() {
    List<Long> first = durations();

    assertThat(durations()).isEqualTo(first);
    assertThat(Set.copyOf(first)).hasSizeGreaterThan(1);
  }

  private static List<Long> durations() {
    Engine engine =
        new Engine(config(Timing.of(GpuProfile.RTX4090).withNoise(7, 0.05, 0), 1000, 4, 64, 100));
    engine.submit(request(1, 10, 30));
    List<Long> durations = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      durations.add(engine.step(i).durationNanos());
    }
    return durations;
  }

  private static Engine engine(int maxModelLen, int maxNumSeqs, int budget, int kvBlocks) {
    return new Engine(
        config(Timing.of(GpuProfile.H100), maxModelLen, maxNumSeqs, budget, kvBlocks));
  }

  private static EngineConfig config(
      Timing timing, int maxModelLen, int maxNumSeqs, int budget, int kvBlocks) {
    return new EngineConfig(
        timing, Scheduling.of(maxNumSeqs, budget), maxModelLen, kvBlocks, 16, true);
  }

  private static SequenceRequest request(long id, int promptTokens, int maxTokens) {
    return new SequenceRequest(
        id, prompt((int) id, promptTokens), maxTokens, Set.of(EOS), 0, () -> 1);
  }

  private static TokenIds prompt(int token, int count) {
    int[] prompt = new int[count];
    Arrays.fill(prompt, token);
    return TokenIds.of(prompt);
  }

  /** Yields the end token as the n-th and every n-th token. */
  private static TokenSource counting(int n) {
    int[] count = {0};
    return () -> ++count[0] % n == 0 ? EOS : 1;
  }

  private static TokenIds ids(int count) {
    return TokenIds.of(new int[count]);
  }
}
