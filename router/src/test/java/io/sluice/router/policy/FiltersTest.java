package io.sluice.router.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.router.TestWorker;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class FiltersTest {
  private static final RequestProfile REQUEST = new TestProfile().profile();

  @ParameterizedTest
  @EnumSource(Filters.class)
  void everyFilterSaysWhatItMeans(Filters filter) {
    // Then
    assertThat(filter.meaning()).isNotBlank().doesNotContain("\n");
    assertThat(filter.reason()).matches("[a-z_]+");
  }

  static Stream<Arguments> table() {
    return Stream.of(
        row("fits", "-", worker()),
        row("another model", "model", worker().models("qwen")),
        row("an adapter of that name", "-", worker().models("base", "llama")),
        row("no model at all", "model", worker().models()),
        row("other lanes only", "lane", worker().lanes("2k", "32k")),
        row("this lane", "-", worker().lanes("2k", "8k")),
        row("a context one token short", "context", worker().maxModelLen(3_999)),
        row("a context that just fits", "-", worker().maxModelLen(4_000)),
        row("a tier that was not asked for", "-", worker().tier("fast")),
        row(
            "kept free for another request",
            "reserved",
            new Candidate(
                snapshot(),
                0,
                0,
                false,
                true,
                false,
                true,
                Outlook.of(snapshot()),
                BreakerPhase.CLOSED)),
        row(
            "a beginning of the prompt that it holds already",
            "-",
            new Candidate(
                worker().tokenBudget(10_000).snapshot(),
                1,
                7_000,
                false,
                true,
                false,
                false,
                Outlooks.of(snapshot(), 1_000),
                BreakerPhase.CLOSED)),
        row("draining", "accepting", worker().draining(true)),
        row("its engine down", "accepting", worker().engineUp(false)),
        row(
            "no topic yet",
            "accepting",
            new Candidate(snapshot(), 0, 0, false, false, false, BreakerPhase.CLOSED)),
        row(
            "a late heartbeat",
            "heartbeat",
            new Candidate(snapshot(), 0, 0, true, true, false, BreakerPhase.CLOSED)),
        row(
            "given back",
            "handed_back",
            new Candidate(snapshot(), 0, 0, false, true, true, BreakerPhase.CLOSED)),
        row("an open breaker", "breaker", at(BreakerPhase.OPEN, 0)),
        row("a half-open breaker and two probes", "-", at(BreakerPhase.HALF_OPEN, 2)),
        row("a half-open breaker and all probes", "breaker", at(BreakerPhase.HALF_OPEN, 3)),
        row("its last slot free", "-", at(worker().slots(2), 1, 0)),
        row("every slot taken", "slot", at(worker().slots(2), 2, 0)),
        row("more than every slot taken", "slot", at(worker().slots(2), 3, 0)),
        row("no slots", "slot", worker().slots(0)),
        row("budget that just suffices", "-", at(worker().tokenBudget(10_000), 1, 6_000)),
        row("budget one short", "token_budget", at(worker().tokenBudget(10_000), 1, 6_001)),
        row(
            "budget used by others",
            "token_budget",
            at(worker().tokenBudget(10_000).tokensInUse(6_001), 1, 0)),
        row("an unknown budget", "-", at(worker().tokenBudget(0), 1, 1_000_000)),
        row("idle though its budget is small", "-", worker().tokenBudget(100)));
  }

  @ParameterizedTest(name = "a worker with {0}: {1}")
  @MethodSource("table")
  void aWorkerIsRuledOutByTheFirstFilterItFails(
      String description, String expected, Candidate candidate) {
    // When
    Decision decision =
        RoutingPolicy.standard().decide(REQUEST, Candidates.of(List.of(candidate)), new Random(1));

    // Then
    assertThat(decision.candidates().getFirst().ruledOutBy().orElse("-")).isEqualTo(expected);
    assertThat(decision.chosen().isPresent()).isEqualTo(expected.equals("-"));
  }

  static Stream<Arguments> requirements() {
    TestProfile tiers = new TestProfile().tiers("precise", "balanced");
    TestProfile needs = new TestProfile().needs("best_of");
    return Stream.of(
        Arguments.of("of the second tier", "-", tiers, worker().tier("balanced")),
        Arguments.of("of another tier", "tier", tiers, worker().tier("fast")),
        Arguments.of("without a tier", "-", tiers, worker()),
        Arguments.of("that refuses an option", "capability", needs, refusing("best_of")),
        Arguments.of("that refuses another option", "-", needs, refusing("beam_search")));
  }

  @ParameterizedTest(name = "a worker {0}: {1}")
  @MethodSource("requirements")
  void aWorkerIsRuledOutByWhatTheRequestRequires(
      String description, String expected, TestProfile request, TestWorker worker) {
    // When
    Decision decision =
        RoutingPolicy.standard()
            .decide(request.profile(), Candidates.of(List.of(at(worker, 0, 0))), new Random(1));

    // Then
    assertThat(decision.candidates().getFirst().ruledOutBy().orElse("-")).isEqualTo(expected);
    assertThat(decision.servable()).isEqualTo(expected.equals("-"));
  }

  private static TestWorker refusing(String option) {
    return worker().traits(List.of(), List.of(option), List.of());
  }

  private static TestWorker worker() {
    return new TestWorker("w1");
  }

  private static WorkerSnapshot snapshot() {
    return worker().snapshot();
  }

  private static Candidate at(TestWorker worker, int leases, long reservedTokens) {
    return new Candidate(
        worker.snapshot(), leases, reservedTokens, false, true, false, BreakerPhase.CLOSED);
  }

  private static Candidate at(BreakerPhase breaker, int leases) {
    return new Candidate(snapshot(), leases, 0, false, true, false, breaker);
  }

  private static Arguments row(String description, String expected, TestWorker worker) {
    return row(description, expected, at(worker, 0, 0));
  }

  private static Arguments row(String description, String expected, Candidate candidate) {
    return Arguments.of(description, expected, candidate);
  }
}
