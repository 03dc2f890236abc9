package io.sluice.router.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.common.protocol.ModelCard;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.router.TestWorker;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ScorersTest {
  private static final PredictedTtft TTFT = new PredictedTtft(0);

  static Stream<Arguments> table() {
    Scorer context = new Scorers.ContextMargin();
    Scorer tier = new Scorers.Tier();
    Scorer prefix = new Scorers.Prefix();
    Scorer fit = new Scorers.Fit();
    Scorer load = new Scorers.Load();
    Scorer adapter = new Scorers.Adapter();
    Scorer draft = new Scorers.Draft();
    return Stream.of(
        row(
            "room for an estimate that is too low",
            context,
            1,
            request(),
            worker().maxModelLen(4_300)),
        row("room for the estimate only", context, 0, request(), worker().maxModelLen(4_299)),
        row("the best tier", tier, 1, request().tiers("a", "b"), worker().tier("a")),
        row("the second of two tiers", tier, 0.5, request().tiers("a", "b"), worker().tier("b")),
        row("no tier, where some were named", tier, 0, request().tiers("a"), worker()),
        row("any tier, where none was named", tier, 1, request(), worker().tier("b")),
        row("two thirds of the prompt cached", prefix, 2.0 / 3, request(), at(worker(), 0, 2_000)),
        row("more cached than the prompt has", prefix, 1, request(), at(worker(), 0, 9_000)),
        row("nothing cached", prefix, 0, request(), worker()),
        row(
            "memory for a short prompt",
            fit,
            0.8 * 0.5 + 0.2 * 0.9,
            request().promptTokens(2_048),
            worker().kvUsage(0.5).tokenBudget(10_000).tokensInUse(1_000)),
        row(
            "memory for a long prompt",
            fit,
            0.95 * 0.5 + 0.05 * 0.9,
            request().promptTokens(2_049),
            worker().kvUsage(0.5).tokenBudget(10_000).tokensInUse(1_000)),
        row(
            "an engine without metrics",
            fit,
            0.9,
            request(),
            worker().tokenBudget(10_000).tokensInUse(1_000)),
        row("a quarter of its slots free", load, 0.25, request(), at(worker(), 3, 0)),
        row("an engine that others keep busy", load, 0.5, request(), worker().running(2)),
        row("more than all slots taken", load, 0, request(), at(worker(), 6, 0)),
        row("the base model", adapter, 1, request(), worker()),
        row(
            "another base model",
            adapter,
            1,
            request().model("x"),
            worker().models("llama", "x").cards(Map.of("x", ModelCard.EMPTY))),
        row(
            "an adapter in memory",
            adapter,
            1,
            request().model("x"),
            worker().models("llama", "x").traits(List.of(), List.of(), List.of("x"))),
        row("an adapter on disk", adapter, 0, request().model("x"), worker().models("llama", "x")),
        row(
            "a draft model for code",
            draft,
            1,
            request().text("code"),
            worker().traits(List.of("code"), List.of(), List.of())),
        row("no draft model, for code", draft, 0, request().text("code"), worker()),
        row("no draft model, for any text", draft, 1, request(), worker()));
  }

  @ParameterizedTest(name = "{0} scores {2} by {1}")
  @MethodSource("table")
  void aScoreFollowsItsFormula(
      String description,
      String name,
      double expected,
      Scorer scorer,
      TestProfile request,
      Candidate candidate) {
    assertThat(scorer.score(request.profile(), candidate)).isCloseTo(expected, within(1e-9));
  }

  static Stream<Arguments> predictions() {
    TestWorker fast = worker().pace(10_000, 10, 0);
    return Stream.of(
        Arguments.of("the prompt and a step", 310.0, request(), at(fast, 0, 0)),
        Arguments.of("what is not cached", 110.0, request(), at(fast, 0, 2_000)),
        Arguments.of("one token at least", 10.1, request(), at(fast, 0, 3_000)),
        Arguments.of(
            "requests that wait there",
            810.0,
            request(),
            at(worker().pace(10_000, 10, 5_000), 0, 0)),
        Arguments.of(
            "an engine that was never measured", 375.0 + 20, request(), at(worker(), 0, 0)),
        // 1,000 tokens are missing; 8,000 come back within 1,000 output tokens of 10 ms each.
        Arguments.of(
            "memory that has to become free",
            310 + 1_000.0 / 8_000 * 10_000,
            request(),
            at(worker().pace(10_000, 10, 0).tokenBudget(10_000).kvUsage(0.8), 0, 0)));
  }

  @ParameterizedTest(name = "{0} takes {1} ms")
  @MethodSource("predictions")
  void theTimeToTheFirstTokenIsPredicted(
      String description, double millis, TestProfile request, Candidate candidate) {
    assertThat(TTFT.costMillis(request.profile(), candidate)).isCloseTo(millis, within(1e-6));
  }

  @ParameterizedTest
  @MethodSource("predictions")
  void theHarmToRunningStreamsIsPartOfTheCost(
      String description, double millis, TestProfile request, Candidate candidate) {
    // Given
    Candidate busy =
        new Candidate(
            candidate.snapshot(),
            10,
            0,
            false,
            true,
            false,
            false,
            candidate.outlook(),
            BreakerPhase.CLOSED);
    double own = candidate.outlook().prefillMillis(candidate.uncachedTokens(request.profile()));

    // When
    double cost = new PredictedTtft(0.1).costMillis(request.profile(), busy);

    // Then
    assertThat(cost).isCloseTo(millis + own, within(1e-6));
  }

  @Test
  void anIdleWorkerIsNotJudgedByTheStepsOfItsLastLoad() {
    // Given
    TestWorker slow = worker().pace(10_000, 400, 0);
    RequestProfile request = request().profile();

    // Then
    assertThat(TTFT.costMillis(request, at(slow, 0, 0))).isCloseTo(300 + 20, within(1e-6));
    assertThat(TTFT.costMillis(request, at(slow, 1, 0))).isCloseTo(300 + 400, within(1e-6));
    assertThat(PredictedTtft.leastMillis(request, at(slow, 1, 0)))
        .isCloseTo(300 + 20, within(1e-6));
  }

  private static TestProfile request() {
    return new TestProfile();
  }

  private static TestWorker worker() {
    return new TestWorker("w");
  }

  private static Candidate at(TestWorker worker, int leases, long cachedTokens) {
    Outlook outlook = Outlooks.of(worker.snapshot(), cachedTokens);
    return new Candidate(
        worker.snapshot(), leases, 0, false, true, false, false, outlook, BreakerPhase.CLOSED);
  }

  private static Arguments row(
      String description, Scorer scorer, double expected, TestProfile request, TestWorker worker) {
    return row(description, scorer, expected, request, at(worker, 0, 0));
  }

  private static Arguments row(
      String description,
      Scorer scorer,
      double expected,
      TestProfile request,
      Candidate candidate) {
    return Arguments.of(
        description, scorer.getClass().getSimpleName(), expected, scorer, request, candidate);
  }
}
