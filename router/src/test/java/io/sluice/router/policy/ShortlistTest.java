package io.sluice.router.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.router.TestWorker;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ShortlistTest {
  private static final int SLOTS = 4;
  private static final RequestProfile REQUEST = new TestProfile().profile();

  private final Random random = new Random(7);

  @Test
  void aFleetWithRoomIsNotExaminedAsAWhole() {
    // Given
    ExaminedFleet fleet =
        new ExaminedFleet(1_000, worker -> 1, worker -> worker == 700 ? 2_900 : 64);

    // When
    Decision decision = RoutingPolicy.standard().decide(REQUEST, fleet, random);

    // Then
    assertThat(decision.chosen()).contains("w700");
    assertThat(fleet.examined).hasSizeLessThan(40);
    assertThat(decision.candidates())
        .filteredOn(reason -> reason.ruledOutBy().equals(Optional.of(Decision.SAMPLE)))
        .hasSize(1_000 - decision.compared());
  }

  @Property(tries = 200)
  void theOnlyWorkerWithRoomIsFound(@ForAll @IntRange(max = 999) int free, @ForAll long seed) {
    // Given
    ExaminedFleet fleet =
        new ExaminedFleet(1_000, worker -> worker == free ? 0 : SLOTS, worker -> 64);

    // When
    Decision decision = RoutingPolicy.standard().decide(REQUEST, fleet, new Random(seed));

    // Then
    assertThat(decision.chosen()).contains("w" + free);
    assertThat(fleet.examined).hasSize(1_000);
  }

  @Test
  void aFullFleetIsExaminedAsAWholeAndServable() {
    // Given
    ExaminedFleet fleet = new ExaminedFleet(1_000, worker -> SLOTS, worker -> 0);

    // When
    Decision decision = RoutingPolicy.standard().decide(REQUEST, fleet, random);

    // Then
    assertThat(decision.chosen()).isEmpty();
    assertThat(decision.servable()).isTrue();
    assertThat(decision.room()).hasSize(1_000);
  }

  @Test
  void aWorkerWithoutRoomThatHoldsThePromptIsExamined() {
    // Given
    ExaminedFleet fleet =
        new ExaminedFleet(
            1_000, worker -> worker == 5 ? SLOTS : SLOTS - 1, worker -> worker == 5 ? 2_900 : 0);

    // When
    Decision decision = RoutingPolicy.standard().decide(REQUEST, fleet, random);

    // Then
    assertThat(decision.chosen()).isPresent();
    assertThat(decision.prefixWait().map(PrefixWait::worker)).contains("w5");
  }

  @Test
  void manyFullHoldersDoNotMakeADecisionLong() {
    // Given: of those with the most cached, none has room.
    ExaminedFleet fleet =
        new ExaminedFleet(
            1_000,
            worker -> worker % 2 == 0 ? SLOTS : 0,
            worker -> worker % 2 == 0 ? 2_000 : 1_100);

    // When
    Decision decision = RoutingPolicy.standard().decide(REQUEST, fleet, random);

    // Then
    assertThat(decision.chosen()).isPresent();
    assertThat(fleet.examined).hasSizeLessThan(250);
  }

  /** Records which of its workers are requested. */
  private static final class ExaminedFleet implements Candidates {
    private final Set<Integer> examined = new TreeSet<>();
    private final Candidates all;

    ExaminedFleet(int size, IntUnaryOperator leases, IntUnaryOperator cachedTokens) {
      this.all =
          Candidates.of(
              IntStream.range(0, size)
                  .mapToObj(
                      at -> candidate("w" + at, leases.applyAsInt(at), cachedTokens.applyAsInt(at)))
                  .toList());
    }

    private static Candidate candidate(String id, int leases, int cachedTokens) {
      WorkerSnapshot worker = new TestWorker(id).slots(SLOTS).running(leases).snapshot();
      Outlook outlook = Outlooks.of(worker, cachedTokens);
      return new Candidate(
          worker, leases, 0, false, true, false, false, outlook, BreakerPhase.CLOSED);
    }

    @Override
    public int size() {
      return all.size();
    }

    @Override
    public String worker(int at) {
      return all.worker(at);
    }

    @Override
    public Candidate get(int at) {
      examined.add(at);
      return all.get(at);
    }

    @Override
    public void forEachHolder(RandomGenerator random, IntPredicate visitor) {
      all.forEachHolder(random, visitor);
    }
  }
}
