package io.sluice.router.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.router.TestWorker;
import io.sluice.router.prefix.PrefixChain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class RoutingPolicyTest {
  private static final RequestProfile REQUEST = request();

  private final RoutingPolicy policy = RoutingPolicy.standard();
  private final Random random = new Random(42);

  @Test
  void theLeastLoadedWorkerIsChosen() {
    // Given
    List<Candidate> fleet = List.of(at("busy", 3), at("idle", 0), at("half", 2));

    // When
    Decision decision = policy.decide(REQUEST, Candidates.of(fleet), random);

    // Then
    assertThat(decision.chosen()).contains("idle");
  }

  @Test
  void loadIsTheShareOfSlotsNotTheirNumber() {
    // Given
    Candidate large = candidate(new TestWorker("large").slots(100), 10);
    Candidate small = candidate(new TestWorker("small").slots(4), 2);

    // When
    Decision decision = policy.decide(REQUEST, Candidates.of(List.of(small, large)), random);

    // Then
    assertThat(decision.chosen()).contains("large");
  }

  @Test
  void theTierThatWasAskedForCountsMoreThanLoad() {
    // Given
    Candidate asked = candidate(new TestWorker("asked").tier("precise"), 3);
    Candidate idle = candidate(new TestWorker("idle").tier("fast"), 0);

    // When
    Decision decision =
        policy.decide(request("precise", "fast"), Candidates.of(List.of(idle, asked)), random);

    // Then
    assertThat(decision.chosen()).contains("asked");
  }

  @Test
  void aTierThatIsOutIsReplacedByAnother() {
    // Given
    Candidate full = candidate(new TestWorker("asked").tier("precise"), 4);
    Candidate other = candidate(new TestWorker("other").tier("fast"), 1);

    // When
    Decision decision =
        policy.decide(request("precise", "fast"), Candidates.of(List.of(full, other)), random);

    // Then
    assertThat(decision.chosen()).contains("other");
  }

  @Test
  void tiesAreSpreadEvenly() {
    // Given
    List<Candidate> fleet = List.of(at("a", 1), at("b", 1), at("c", 1), at("d", 1));

    // When
    Map<String, Integer> chosen = choose(fleet, 4_000);

    // Then
    assertThat(chosen.values()).hasSize(4).allMatch(times -> times > 850 && times < 1_150);
  }

  @Test
  void inALargeFleetOnlyASampleIsCompared() {
    // Given
    List<Candidate> fleet = new ArrayList<>();
    for (int worker = 0; worker < 320; worker++) {
      fleet.add(at("w" + worker, 1));
    }

    // When
    Decision decision = policy.decide(REQUEST, Candidates.of(fleet), random);

    // Then
    assertThat(decision.compared()).isEqualTo(32);
    assertThat(decision.candidates())
        .filteredOn(reason -> reason.ruledOutBy().equals(Optional.of("sample")))
        .hasSize(288);
  }

  @Test
  void everyWorkerLookedAtIsInTheDecisionWithItsReason() {
    // Given
    List<Candidate> fleet = List.of(at("full", 4), at("idle", 0));

    // When
    Decision decision = policy.decide(REQUEST, Candidates.of(fleet), random);

    // Then
    Decision.Reason full = decision.candidates().getFirst();
    Decision.Reason idle = decision.candidates().getLast();
    assertThat(full).isEqualTo(new Decision.Reason("full", Optional.of("slot"), 0.0, Map.of()));
    assertThat(idle.ruledOutBy()).isEmpty();
    assertThat(idle.score()).isBetween(0.5, 1.0);
    assertThat(idle.scores())
        .containsOnlyKeys("ttft", "context", "tier", "prefix", "fit", "load", "adapter", "draft");
  }

  @Test
  void whatABusyOrSickWorkerCouldServeIsServable() {
    // Given
    List<Candidate> fleet = List.of(at("full", 4));

    // When
    Decision decision = policy.decide(REQUEST, Candidates.of(fleet), random);

    // Then
    assertThat(decision.chosen()).isEmpty();
    assertThat(decision.servable()).isTrue();
  }

  @Test
  void whatOnlyAWorkerHasRoomForThatGaveItBackIsToldFromWhatHasToWaitForRoom() {
    // Given
    WorkerSnapshot worker = new TestWorker("w").snapshot();
    Candidate idle = new Candidate(worker, 0, 0, false, true, true, BreakerPhase.CLOSED);
    Candidate full = new Candidate(worker, 4, 0, false, true, true, BreakerPhase.CLOSED);

    // Then
    assertThat(decide(at("full", 4), idle).onlyHandedBackRecently()).isTrue();
    assertThat(decide(at("full", 4), full).onlyHandedBackRecently()).isFalse();
    assertThat(decide(at("room", 3), idle).onlyHandedBackRecently()).isFalse();
  }

  @Test
  void whatNoWorkerIsMadeForIsNotServable() {
    // Given
    List<Candidate> fleet =
        List.of(
            candidate(new TestWorker("a").models("qwen"), 0),
            candidate(new TestWorker("b").lanes("2k"), 0),
            candidate(new TestWorker("c").maxModelLen(100), 0));

    // When
    Decision decision = policy.decide(REQUEST, Candidates.of(fleet), random);

    // Then
    assertThat(decision.servable()).isFalse();
  }

  @Test
  void anEmptyFleetServesNothing() {
    // When
    Decision decision = policy.decide(REQUEST, Candidates.of(List.of()), random);

    // Then
    assertThat(decision.chosen()).isEmpty();
    assertThat(decision.candidates()).isEmpty();
    assertThat(decision.servable()).isFalse();
  }

  @Provide
  Arbitrary<List<Candidate>> fleets() {
    Arbitrary<Candidate> candidates =
        Combinators.combine(
                Arbitraries.integers().between(0, 6),
                Arbitraries.integers().between(0, 6),
                Arbitraries.integers().between(0, 8_000),
                Arbitraries.integers().between(0, 127))
            .as(
                (slots, leases, tokens, flags) ->
                    new Candidate(
                        new TestWorker("w" + slots + leases + tokens + flags)
                            .slots(slots)
                            .tokenBudget(8_000)
                            .draining((flags & 1) > 0)
                            .models((flags & 2) > 0 ? "llama" : "qwen")
                            .tier((flags & 4) > 0 ? "fast" : "precise")
                            .snapshot(),
                        leases,
                        tokens,
                        (flags & 8) > 0,
                        (flags & 16) > 0,
                        (flags & 32) > 0,
                        (flags & 64) > 0 ? BreakerPhase.OPEN : BreakerPhase.CLOSED));
    return candidates.list().ofMaxSize(30);
  }

  @Property(tries = 500)
  void theChosenOnePassesEveryFilterAndThereIsOneWheneverSomebodyPasses(
      @ForAll("fleets") List<Candidate> fleet, @ForAll long seed) {
    // When
    Decision decision = policy.decide(REQUEST, Candidates.of(fleet), new Random(seed));

    // Then
    List<String> passing =
        fleet.stream()
            .filter(
                candidate ->
                    Filters.ALL.stream().allMatch(filter -> filter.admits(REQUEST, candidate)))
            .map(candidate -> candidate.snapshot().id())
            .toList();
    assertThat(decision.chosen().isPresent()).isEqualTo(!passing.isEmpty());
    decision.chosen().ifPresent(chosen -> assertThat(passing).contains(chosen));
    assertThat(decision.candidates())
        .extracting(Decision.Reason::ruledOutBy)
        .isEqualTo(fleet.stream().map(RoutingPolicyTest::firstRefusing).toList());
    assertThat(decision.candidates())
        .allMatch(reason -> reason.score() >= 0 && reason.score() <= 1);
  }

  private static Optional<String> firstRefusing(Candidate candidate) {
    return Filters.ALL.stream()
        .filter(filter -> !filter.admits(REQUEST, candidate))
        .map(Filter::reason)
        .findFirst();
  }

  private Decision decide(Candidate... fleet) {
    return policy.decide(REQUEST, Candidates.of(List.of(fleet)), random);
  }

  private Map<String, Integer> choose(List<Candidate> fleet, int times) {
    Map<String, Integer> chosen = new HashMap<>();
    for (int time = 0; time < times; time++) {
      chosen.merge(
          policy.decide(REQUEST, Candidates.of(fleet), random).chosen().orElseThrow(),
          1,
          Integer::sum);
    }
    return chosen;
  }

  private static Candidate at(String worker, int leases) {
    return candidate(new TestWorker(worker), leases);
  }

  private static Candidate candidate(TestWorker worker, int leases) {
    return new Candidate(worker.snapshot(), leases, 0, false, true, false, BreakerPhase.CLOSED);
  }

  private static RequestProfile request(String... tiers) {
    return new RequestProfile(
        "llama",
        "8k",
        3_000,
        1_000,
        List.of(tiers),
        Priority.INTERACTIVE,
        Set.of(),
        Optional.empty(),
        PrefixChain.NONE);
  }
}
