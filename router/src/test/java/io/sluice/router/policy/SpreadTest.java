package io.sluice.router.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.router.TestWorker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SpreadTest {
  private static final RequestProfile REQUEST = new TestProfile().profile();

  private final RoutingPolicy policy = RoutingPolicy.standard();

  /** Each router knows what it has sent itself; the workers' reports are the same old ones. */
  @Property(tries = 50)
  void routersWithTheSameOldViewDoNotRunToTheSameWorker(
      @ForAll @IntRange(min = 4, max = 16) int routers,
      @ForAll @IntRange(min = 1, max = 8) int burst,
      @ForAll long seed) {
    // Given: one worker is a little less busy than all others
    int workers = 16;
    Random random = new Random(seed);
    int[] received = new int[workers];

    // When
    for (int router = 0; router < routers; router++) {
      Experience experience = new Experience();
      for (int request = 0; request < burst; request++) {
        Experience.View view = experience.of(REQUEST, 0);
        List<Candidate> fleet = new ArrayList<>();
        for (int worker = 0; worker < workers; worker++) {
          WorkerSnapshot snapshot = worker(worker, routers, worker == 0 ? 0 : 600);
          Outlook outlook = view.outlook(snapshot, routers, 0);
          fleet.add(
              new Candidate(
                  snapshot, routers, 0, false, true, false, false, outlook, BreakerPhase.CLOSED));
        }
        Candidate choice =
            policy.decide(REQUEST, Candidates.of(fleet), random).choice().orElseThrow();
        experience.sent(REQUEST, choice.snapshot(), choice.outlook(), 0);
        received[Integer.parseInt(choice.snapshot().id())]++;
      }
    }

    // Then
    double mean = (double) routers * burst / workers;
    assertThat(Arrays.stream(received).max().orElseThrow())
        .isLessThanOrEqualTo((int) Math.ceil(2 * mean + 5));
  }

  @Test
  void aLongHitIsNotThrownAwayForTheSakeOfSpreading() {
    // Given
    List<Candidate> fleet = new ArrayList<>();
    for (int worker = 0; worker < 64; worker++) {
      WorkerSnapshot snapshot = worker(worker, 8, 0);
      Outlook outlook = Outlooks.of(snapshot, worker == 5 ? 2_800 : 0);
      fleet.add(
          new Candidate(snapshot, 8, 0, false, true, false, false, outlook, BreakerPhase.CLOSED));
    }

    // When
    int hits = 0;
    Random random = new Random(1);
    for (int decision = 0; decision < 1_000; decision++) {
      Decision made = policy.decide(REQUEST, Candidates.of(fleet), random);
      hits += made.chosen().orElseThrow().equals("5") ? 1 : 0;
    }

    // Then
    assertThat(hits).isGreaterThan(990);
  }

  @Test
  void inALargeFleetWhoeverHoldsThePromptIsComparedAndChosen() {
    // Given
    List<Candidate> fleet = new ArrayList<>();
    for (int worker = 0; worker < 1_000; worker++) {
      WorkerSnapshot snapshot = worker(worker, 1, 0);
      Outlook outlook = Outlooks.of(snapshot, worker == 700 ? 2_900 : 64);
      fleet.add(
          new Candidate(snapshot, 1, 0, false, true, false, false, outlook, BreakerPhase.CLOSED));
    }

    // When
    Map<String, Integer> chosen = new HashMap<>();
    Random random = new Random(1);
    for (int decision = 0; decision < 100; decision++) {
      chosen.merge(
          policy.decide(REQUEST, Candidates.of(fleet), random).chosen().orElseThrow(),
          1,
          Integer::sum);
    }

    // Then
    assertThat(chosen).containsOnlyKeys("700");
  }

  @Property(tries = 100)
  void inALargeFleetTheLongestHitIsComparedHoweverManyHoldAlmostAsMuch(
      @ForAll @IntRange(max = 999) int holder, @ForAll long seed) {
    // Given
    List<Candidate> fleet = new ArrayList<>();
    for (int worker = 0; worker < 1_000; worker++) {
      WorkerSnapshot snapshot = worker(worker, 1, 0);
      Outlook outlook = Outlooks.of(snapshot, worker == holder ? 2_900 : 2_000);
      fleet.add(
          new Candidate(snapshot, 1, 0, false, true, false, false, outlook, BreakerPhase.CLOSED));
    }

    // When
    Decision decision = policy.decide(REQUEST, Candidates.of(fleet), new Random(seed));

    // Then
    assertThat(decision.chosen()).contains("" + holder);
    assertThat(decision.compared()).isEqualTo(64);
  }

  @Property(tries = 300)
  void moreOfThePromptInItsCacheNeverLowersAWorkersScore(
      @ForAll @IntRange(max = 3_000) int less,
      @ForAll @IntRange(max = 3_000) int more,
      @ForAll @IntRange(max = 20_000) int queued,
      @ForAll @IntRange(max = 64) int running) {
    // Given
    TestWorker worker =
        new TestWorker("w").slots(65).running(running).pace(9_000, 12, queued).tokenBudget(100_000);

    // When
    double lower = score(worker.snapshot(), Math.min(less, more));
    double higher = score(worker.snapshot(), Math.max(less, more));

    // Then
    assertThat(higher).isGreaterThanOrEqualTo(lower);
  }

  private double score(WorkerSnapshot worker, long cachedTokens) {
    Outlook outlook = Outlooks.of(worker, cachedTokens);
    Candidate candidate =
        new Candidate(worker, 0, 0, false, true, false, false, outlook, BreakerPhase.CLOSED);
    return policy
        .decide(REQUEST, Candidates.of(List.of(candidate)), new Random(1))
        .candidates()
        .getFirst()
        .score();
  }

  private static WorkerSnapshot worker(int number, int routers, long waitingTokens) {
    Map<String, Integer> held = new HashMap<>();
    for (int router = 0; router < routers; router++) {
      held.put("r" + router, 1);
    }
    return new TestWorker("" + number)
        .slots(64)
        .held(held)
        .pace(10_000, 10, waitingTokens)
        .snapshot();
  }
}
