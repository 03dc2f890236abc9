package io.sluice.simulator.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Shows each rule of the scheduler as a table of batches. */
class SchedulerTest {

  private static final int AMPLE = 1000;

  @Test
  void aPromptBeyondTheBudgetIsComputedInChunks() {
    Schedule schedule = new Schedule(Scheduling.of(4, 64), AMPLE);
    schedule.add(1, 150);

    assertThat(schedule.steps(4)).containsExactly("1:64", "1:64", "1:22", "1:1");
  }

  @Test
  void runningSequencesComeFirstAndAPromptGetsTheRestOfTheBudget() {
    Schedule schedule = new Schedule(Scheduling.of(4, 64), AMPLE);
    schedule.add(1, 10);
    schedule.step();
    schedule.add(2, 100);

    assertThat(schedule.steps(3)).containsExactly("1:1 2:63", "1:1 2:37", "1:1 2:1");
  }

  @Test
  void aChunkIsLimitedByTheThresholdSoThatPromptsShareAStep() {
    Schedule schedule =
        new Schedule(Scheduling.of(4, 100).withLongPrefillTokenThreshold(32), AMPLE);
    schedule.add(1, 80);
    schedule.add(2, 70);

    assertThat(schedule.steps(4)).containsExactly("1:32 2:32", "1:32 2:32", "1:16 2:6", "1:1 2:1");
  }

  @Test
  void sequencesAboveTheLimitKeepWaiting() {
    Schedule schedule = new Schedule(Scheduling.of(2, 100), AMPLE);
    schedule.add(1, 10);
    schedule.add(2, 10);
    schedule.add(3, 10);

    assertThat(schedule.steps(2)).containsExactly("1:10 2:10", "1:1 2:1");
    assertThat(schedule.waiting()).isEqualTo("3");
  }

  @Test
  void aHeadThatDoesNotFitBlocksASmallOneBehindIt() {
    // Given: 10 usable blocks; 6 for the first, 5 for the second
    Schedule schedule = new Schedule(Scheduling.of(8, 512), 11);
    schedule.add(1, 90);
    schedule.add(2, 80);
    schedule.add(3, 10);

    assertThat(schedule.step()).isEqualTo("1:90");
    assertThat(schedule.waiting()).isEqualTo("2 3");
    assertThat(schedule.stats().kvUsage()).isCloseTo(0.6, within(1e-9));
  }

  @Test
  void aPromptIsNotStartedInChunksBeforeAllOfItFits() {
    // Given: 6 of 10 blocks used, and a first chunk of 32 tokens would fit
    Schedule schedule = new Schedule(Scheduling.of(8, 128), 11);
    schedule.add(1, 90);
    schedule.step();
    schedule.add(2, 100);

    assertThat(schedule.step()).isEqualTo("1:1");
  }

  @Test
  void theNewestIsPreemptedMovesToTheFrontAndNoSequenceIsAdmittedInThatStep() {
    // Given: 7 usable blocks, two sequences at the end of their third block, and a small third one
    Schedule schedule = new Schedule(Scheduling.of(2, 512), 8);
    schedule.add(1, 64);
    schedule.add(2, 48);
    assertThat(schedule.step()).isEqualTo("1:64 2:48");
    schedule.add(3, 5);

    // When: both need a block more at the same time, and there is none
    String preempting = schedule.step();

    // Then
    assertThat(preempting).isEqualTo("1:1");
    assertThat(schedule.waiting()).isEqualTo("2 3");
    assertThat(schedule.stats().preemptions()).isEqualTo(1);
    // Then: its first two blocks are still cached, the third was taken; the known 49 tokens need 4
    assertThat(schedule.step()).isEqualTo("1:1");
    assertThat(schedule.stats().preemptions()).isEqualTo(1);
  }

  @Test
  void aPreemptedSequenceRecomputesOnlyWhatIsNoLongerCached() {
    // Given: 8 usable blocks; both sequences use four and then need a fifth
    Schedule schedule = new Schedule(Scheduling.of(2, 512), 9);
    schedule.add(Schedule.request(1, Schedule.prompt(1, 64), 3));
    schedule.add(2, 64);
    assertThat(schedule.steps(3)).containsExactly("1:64 2:64", "1:1", "1:1");

    // Then: the first has ended; three blocks of the second were left untouched
    assertThat(schedule.step()).isEqualTo("2:17");
    assertThat(schedule.stats().readmittedHitTokens()).isEqualTo(48);
    assertThat(schedule.stats().readmittedQueriedTokens()).isEqualTo(65);
  }

  @Test
  void theLookupOfAPreemptedSequenceIsNotOneOfThePrefixCache() {
    // Given: as above, and no prompt shares anything with another
    Schedule schedule = new Schedule(Scheduling.of(2, 512), 9);
    schedule.add(Schedule.request(1, Schedule.prompt(1, 64), 3));
    schedule.add(2, 64);

    // When
    schedule.steps(4);

    // Then
    assertThat(schedule.stats().preemptions()).isEqualTo(1);
    assertThat(schedule.stats().prefixHitTokens()).isZero();
    assertThat(schedule.stats().prefixQueriedTokens()).isEqualTo(64 + 64);
  }

  @Test
  void byPriorityTheLowestNumberIsAdmittedFirstAndTiesInOrderOfArrival() {
    Schedule schedule = new Schedule(byPriority(2, 100), AMPLE);
    schedule.add(Schedule.prioritized(Schedule.request(1, 10), 5));
    schedule.add(Schedule.prioritized(Schedule.request(2, 10), -1));
    schedule.add(Schedule.request(3, 10));
    schedule.add(Schedule.request(4, 10));

    assertThat(schedule.step()).isEqualTo("2:10 3:10");
    assertThat(schedule.waiting()).isEqualTo("4 1");
  }

  @Test
  void firstComeFirstServedIgnoresPriorities() {
    Schedule schedule = new Schedule(Scheduling.of(1, 100), AMPLE);
    schedule.add(Schedule.prioritized(Schedule.request(1, 10), 5));
    schedule.add(Schedule.prioritized(Schedule.request(2, 10), -1));

    assertThat(schedule.step()).isEqualTo("1:10");
  }

  @Test
  void byPriorityTheLeastUrgentIsPreemptedEvenIfItIsAlreadyInTheStep() {
    // Given: 7 usable blocks; the least urgent was admitted first and decodes first in each step
    Schedule schedule = new Schedule(byPriority(4, 512), 8);
    schedule.add(Schedule.prioritized(Schedule.request(1, 40), 9));
    schedule.step();
    schedule.add(Schedule.prioritized(Schedule.request(2, 64), 0));
    assertThat(schedule.step()).isEqualTo("1:1 2:64");

    // When: the urgent one needs a fifth block
    String preempting = schedule.step();

    // Then
    assertThat(preempting).isEqualTo("2:1");
    assertThat(schedule.waiting()).isEqualTo("1");
  }

  @Test
  void aSequenceWithOneAdapterTooManyIsDeferredAndLaterOnesPassIt() {
    Schedule schedule = new Schedule(Scheduling.of(8, 100).withMaxLoras(1), AMPLE);
    schedule.add(lora(1, "a"));
    schedule.add(lora(2, "b"));
    schedule.add(lora(3, "a"));
    schedule.add(4, 10);

    assertThat(schedule.step()).isEqualTo("1:10 3:10 4:10");
    assertThat(schedule.waiting()).isEqualTo("2");
    assertThat(schedule.stats().deferred()).isEqualTo(1);
  }

  @Test
  void anIdenticalPromptOf1200TokensHits1184AndComputes16() {
    Schedule schedule = new Schedule(Scheduling.of(8, 4096), AMPLE);
    schedule.add(Schedule.request(1, Schedule.prompt(7, 1200), 1));
    schedule.add(Schedule.request(2, Schedule.prompt(7, 1200), 1));

    // Then: already in the step that computes the first one
    assertThat(schedule.step()).isEqualTo("1:1200 2:16");
    assertThat(schedule.stats().prefixQueriedTokens()).isEqualTo(2400);
    assertThat(schedule.stats().prefixHitTokens()).isEqualTo(1184);
  }

  @Test
  void theNextTurnOfAConversationHitsWhatWasGenerated() {
    // Given: 20 prompt tokens and 30 generated ones, of which the last was never computed
    Schedule schedule = new Schedule(Scheduling.of(8, 4096), AMPLE);
    schedule.add(Schedule.request(1, Schedule.prompt(7, 20), 30));
    schedule.steps(30);
    int[] turn = Schedule.prompt(1001, 70);
    System.arraycopy(Schedule.prompt(7, 20), 0, turn, 0, 20);

    // When
    schedule.add(Schedule.request(2, turn, 1));

    // Then: 49 computed tokens are three full blocks
    assertThat(schedule.step()).isEqualTo("2:22");
  }

  @Test
  void saltAdapterAndPromptLogprobsSeparateTheCache() {
    Schedule schedule = new Schedule(Scheduling.of(8, 4096).withMaxLoras(4), AMPLE);
    CacheScope shared = CacheScope.SHARED;
    schedule.add(scoped(1, shared));
    schedule.add(scoped(2, shared));
    schedule.add(scoped(3, shared.withSalt("s")));
    schedule.add(scoped(4, shared.withSalt("s")));
    schedule.add(scoped(5, shared.withLora("a")));
    schedule.add(scoped(6, shared.withLora("a")));
    schedule.add(scoped(7, shared.withoutReading()));

    assertThat(schedule.step()).isEqualTo("1:40 2:8 3:40 4:8 5:40 6:8 7:40");
    assertThat(schedule.stats().prefixQueriedTokens()).isEqualTo(6 * 40);
  }

  @Test
  void blocksAreCachedWhenTheyAreScheduledAndUntilTheyAreEvicted() {
    // Given: 4 usable blocks
    Schedule schedule = new Schedule(Scheduling.of(8, 4096), 5);
    schedule.add(Schedule.request(1, Schedule.prompt(7, 40), 1));
    schedule.step();
    assertThat(schedule.events()).containsExactly("stored", "stored");

    // When: another sequence needs all four
    schedule.add(Schedule.request(2, Schedule.prompt(8, 64), 1));
    schedule.step();

    // Then
    assertThat(schedule.events())
        .containsExactly(
            "stored", "stored", "removed", "removed", "stored", "stored", "stored", "stored");
  }

  private static Scheduling byPriority(int maxNumSeqs, int budget) {
    return new Scheduling(maxNumSeqs, budget, 0, SchedulingPolicy.PRIORITY, 0, false);
  }

  private static SequenceRequest lora(long id, String adapter) {
    return Schedule.scoped(Schedule.request(id, 10), CacheScope.SHARED.withLora(adapter));
  }

  private static SequenceRequest scoped(long id, CacheScope scope) {
    return Schedule.scoped(Schedule.request(id, Schedule.prompt(7, 40), 1), scope);
  }
}
