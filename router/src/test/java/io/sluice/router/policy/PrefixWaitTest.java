package io.sluice.router.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.router.TestWorker;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PrefixWaitTest {
  /** A second to compute. */
  private static final RequestProfile REQUEST =
      new TestProfile().promptTokens(1_001).outputTokens(100).profile();

  private static final double A_SECOND = 1_000;

  @Test
  void aRequestWaitsForItsPrefixAsLongAsComputingItTakes() {
    // Given
    Candidate idle = worker("idle", 0, 0, 0);
    Candidate holder = worker("holder", 10, 1_000, 200);

    // When
    Optional<PrefixWait> wait = decide(PolicyWeights.DEFAULTS, idle, holder).prefixWait();

    // Then: what is before it, its last token and a step
    assertThat(wait).map(PrefixWait::worker).contains("holder");
    assertThat(wait.orElseThrow().millisToFirstToken()).isEqualTo(200 + 1 + 20);
    assertThat(wait.orElseThrow().mostMillis()).isBetween(0.98 * A_SECOND, A_SECOND);
  }

  @Test
  void itWaitsLongerWhereComputingDelaysOthers() {
    // Given
    Candidate half = worker("half", 5, 0, 0);
    Candidate nearlyFull = worker("nearly-full", 9, 0, 0);
    Candidate holder = worker("holder", 10, 1_000, 0);

    // When
    double atHalf = most(half, holder);
    double atNearlyFull = most(nearlyFull, holder);

    // Then: each running stream adds a fiftieth of the time, at either worker; 5 s at most
    assertThat(atHalf).isCloseTo(2 * 1.1 * A_SECOND, offset(10.0));
    assertThat(atNearlyFull).isEqualTo(5 * A_SECOND);
  }

  @Test
  void aQueueThatTakesLongerThanComputingIsNotWaitedFor() {
    // Given
    Candidate idle = worker("idle", 0, 0, 0);
    Candidate holder = worker("holder", 10, 1_000, 1_100);

    // When
    Decision decision = decide(PolicyWeights.DEFAULTS, idle, holder);

    // Then
    assertThat(decision.chosen()).contains("idle");
    assertThat(decision.prefixWait()).isEmpty();
  }

  @Test
  void aWorkerIsWaitedForOnlyIfItHasMoreOfThePromptCached() {
    // Given
    Candidate chosen = worker("chosen", 0, 500, 0);
    Candidate same = worker("same", 10, 500, 0);

    // When
    Decision decision = decide(PolicyWeights.DEFAULTS, chosen, same);

    // Then
    assertThat(decision.prefixWait()).isEmpty();
  }

  @Test
  void aWorkerThatIsNotHealthyIsNotWaitedFor() {
    // Given
    Candidate idle = worker("idle", 0, 0, 0);
    Candidate broken =
        candidate(new TestWorker("broken").slots(10), 10, 1_000, 0, BreakerPhase.OPEN);

    // When
    Decision decision = decide(PolicyWeights.DEFAULTS, idle, broken);

    // Then
    assertThat(decision.prefixWait()).isEmpty();
  }

  @Test
  void ofSeveralTheOneWithTheLeastCostIsWaitedFor() {
    // Given
    Candidate idle = worker("idle", 0, 0, 0);
    Candidate half = worker("half", 10, 500, 0);
    Candidate whole = worker("whole", 10, 1_000, 100);

    // When
    Optional<PrefixWait> wait = decide(PolicyWeights.DEFAULTS, idle, half, whole).prefixWait();

    // Then
    assertThat(wait).map(PrefixWait::worker).contains("whole");
  }

  @Test
  void withoutPatienceNoRequestWaits() {
    // Given
    PolicyWeights weights = PolicyWeights.parse("patience=0");

    // When
    Decision decision = decide(weights, worker("idle", 0, 0, 0), worker("holder", 10, 1_000, 0));

    // Then
    assertThat(decision.prefixWait()).isEmpty();
  }

  @Test
  void whereThereIsNoRoomAtAllTheRequestWaitsAnyway() {
    // When
    Decision decision = decide(PolicyWeights.DEFAULTS, worker("holder", 10, 1_000, 0));

    // Then
    assertThat(decision.prefixWait()).isEmpty();
  }

  private static double most(Candidate chosen, Candidate holder) {
    return decide(PolicyWeights.DEFAULTS, chosen, holder).prefixWait().orElseThrow().mostMillis();
  }

  private static Decision decide(PolicyWeights weights, Candidate... fleet) {
    return RoutingPolicy.of(weights).decide(REQUEST, Candidates.of(List.of(fleet)), new Random(1));
  }

  /** It has ten slots and computes 1,000 tokens of a prompt in a second. */
  private static Candidate worker(String id, int leases, long cachedTokens, long queuedTokens) {
    return candidate(
        new TestWorker(id).slots(10), leases, cachedTokens, queuedTokens, BreakerPhase.CLOSED);
  }

  private static Candidate candidate(
      TestWorker worker, int leases, long cachedTokens, long queuedTokens, BreakerPhase breaker) {
    return new Candidate(
        worker.snapshot(),
        leases,
        0,
        false,
        true,
        false,
        false,
        new Outlook(cachedTokens, cachedTokens, queuedTokens, 1_000, 20),
        breaker);
  }
}
