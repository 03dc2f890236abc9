package io.sluice.router.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.TestWorker;
import io.sluice.router.prefix.TestChain;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ExperienceTest {
  private static final WorkerSnapshot UNMEASURED = new TestWorker("w").snapshot();
  private static final WorkerSnapshot MEASURED = new TestWorker("w").pace(10_000, 10, 0).snapshot();
  private static final RequestProfile REQUEST =
      new TestProfile().promptTokens(6_400).prefix(TestChain.chain(1, 100)).profile();

  private final Experience experience = new Experience();

  @Test
  void whatWasSentIsQueuedUntilItHasItsFirstToken() {
    // Given
    Experience.Sent sent = send(MEASURED, 0);

    // When
    long before = outlook(MEASURED, 0).queuedTokens();
    sent.started(OptionalInt.empty(), millis(700));

    // Then
    assertThat(before).isEqualTo(6_400);
    assertThat(outlook(MEASURED, 700).queuedTokens()).isZero();
  }

  @Test
  void whatEndsWithoutATokenIsQueuedNoMoreAndEndsOnce() {
    // Given
    Experience.Sent first = send(MEASURED, 0);
    Experience.Sent second = send(MEASURED, 0);

    // When
    first.ended();
    first.ended();

    // Then: the second had its prefix cached by the first
    assertThat(outlook(MEASURED, 0).queuedTokens()).isZero();
    second.ended();
    assertThat(outlook(MEASURED, 0).queuedTokens()).isZero();
  }

  @Test
  void thePromptThatIsBeingComputedCountsLessAndLess() {
    // Given
    send(MEASURED, 0);

    // When
    long halfway = outlook(MEASURED, 320).queuedTokens();

    // Then
    assertThat(halfway).isEqualTo(3_200);
    assertThat(outlook(MEASURED, 9_000).queuedTokens()).isZero();
  }

  @Test
  void whatWaitsForOtherRoutersIsQueuedByTheirShareOfTheLeases() {
    // Given
    WorkerSnapshot worker = new TestWorker("w").pace(10_000, 10, 8_000).held("other", 4).snapshot();

    // When
    Outlook outlook = experience.of(REQUEST, 0).outlook(worker, 2, 0);

    // Then
    assertThat(outlook.queuedTokens()).isEqualTo(4_000);
  }

  @Test
  void aPromptThatWasSentIsExpectedInTheCache() {
    // When
    send(MEASURED, 0);

    // Then
    assertThat(outlook(MEASURED, 0).cachedTokens()).isEqualTo(6_400);
  }

  @Test
  void anEngineThatCachesLessThanWasExpectedIsTrustedLess() {
    // When
    for (int request = 0; request < 40; request++) {
      send(MEASURED, 0).started(OptionalInt.of(0), millis(700));
    }

    // Then
    assertThat(outlook(MEASURED, 0).cachedTokens()).isLessThan(200);
  }

  @Test
  void anEngineIsTrustedForTheShareThatItCaches() {
    // When
    for (int request = 0; request < 80; request++) {
      send(MEASURED, 0).started(OptionalInt.of(1_600), millis(700));
    }

    // Then
    assertThat(outlook(MEASURED, 0).cachedTokens()).isCloseTo(1_600, within(20L));
  }

  @Test
  void anEngineThatCachedNothingForLongIsTrustedAgainOnceItDoes() {
    // Given
    for (int request = 0; request < 200; request++) {
      send(MEASURED, 0).started(OptionalInt.of(0), millis(700));
    }
    assertThat(outlook(MEASURED, 0).cachedTokens()).isZero();

    // When
    for (int request = 0; request < 40; request++) {
      send(MEASURED, 0).started(OptionalInt.of(6_400), millis(700));
    }

    // Then
    assertThat(outlook(MEASURED, 0).cachedTokens()).isGreaterThan(6_200);
  }

  @Test
  void anEngineThatTellsOnlyAtTheEndWhatItHadCachedIsTrustedLessToo() {
    // When
    for (int request = 0; request < 40; request++) {
      Experience.Sent sent = send(MEASURED, 0);
      sent.started(OptionalInt.empty(), millis(700));
      sent.cached(0);
      sent.ended();
    }

    // Then
    assertThat(outlook(MEASURED, 0).cachedTokens()).isLessThan(200);
  }

  @Test
  void whatAnEngineHadCachedCountsOnceThoughItIsToldTwice() {
    // Given
    send(MEASURED, 0);
    Experience.Sent sent = send(MEASURED, 0);

    // When
    sent.started(OptionalInt.of(0), millis(700));
    sent.cached(0);

    // Then: a tenth less, not a fifth
    assertThat(outlook(MEASURED, 0).cachedTokens()).isEqualTo(5_760);
  }

  @Test
  void thePaceIsLearntFromWhatWasReallyCachedThoughItIsToldAtTheEnd() {
    // Given
    send(UNMEASURED, 0).ended();

    // When: all of it was expected in the cache
    Experience.Sent sent = send(UNMEASURED, 0);
    sent.started(OptionalInt.empty(), millis(420));
    sent.cached(0);
    sent.ended();

    // Then: 6,400 tokens in 420 ms less a step of 20
    assertThat(outlook(UNMEASURED, 0).prefillTokensPerSecond()).isCloseTo(16_000, within(1.0));
  }

  @Test
  void thePaceOfAnEngineThatNeverTellsWhatItHadCachedIsLearntFromWhatWasExpected() {
    // When
    Experience.Sent sent = send(UNMEASURED, 0);
    sent.started(OptionalInt.empty(), millis(420));

    // Then
    assertThat(outlook(UNMEASURED, 0).prefillTokensPerSecond()).isCloseTo(16_000, within(1.0));
  }

  @Test
  void othersAreToldWhatIsNewToAWorker() {
    // Given
    List<Sending> told = new ArrayList<>();
    Experience telling = new Experience(told::add);
    RequestProfile shorter = new TestProfile().prefix(TestChain.chain(1, 40)).profile();

    // When
    for (RequestProfile request : List.of(shorter, REQUEST, REQUEST)) {
      telling.sent(request, MEASURED, Outlook.of(MEASURED), 0);
    }

    // Then
    assertThat(told).extracting(Sending::knownBlocks).containsExactly(0, 40, 100);
    assertThat(told).allMatch(sending -> sending.worker().equals("w"));
  }

  @Test
  void promptsOfOtherRoutersThatTheWorkerDoesNotKnowOfWaitToo() {
    assertThat(experience.of(REQUEST, 0).outlook(MEASURED, 3, 700).queuedTokens()).isEqualTo(700);
  }

  @Test
  void anEngineThatWentDownHasNothingCached() {
    // Given
    send(MEASURED, 0);

    // When
    experience.engineDown("w");

    // Then
    assertThat(outlook(MEASURED, 0).cachedTokens()).isZero();
  }

  @Test
  void workersThatAreGoneAreForgottenOnceTheyAreMany() {
    // Given
    send(MEASURED, 0).ended();
    for (int gone = 0; gone < 100; gone++) {
      send(new TestWorker("gone" + gone).snapshot(), 0).ended();
    }

    // When
    experience.retain(Set.of("w"));

    // Then
    assertThat(outlook(MEASURED, 0).cachedTokens()).isEqualTo(6_400);
    assertThat(outlook(new TestWorker("gone1").snapshot(), 0).cachedTokens()).isZero();
  }

  @Test
  void thePaceOfAnEngineThatDoesNotTellItIsLearnt() {
    // When
    for (int request = 0; request < 50; request++) {
      send(UNMEASURED, 0).started(OptionalInt.of(0), millis(420));
    }

    // Then: 6,400 tokens in 420 ms less a step of 20
    assertThat(outlook(UNMEASURED, 0).prefillTokensPerSecond()).isCloseTo(16_000, within(1.0));
  }

  @Test
  void oneStrayReportChangesThePaceLittle() {
    // Given
    for (int request = 0; request < 50; request++) {
      send(UNMEASURED, 0).started(OptionalInt.of(0), millis(420));
    }

    // When
    send(UNMEASURED, 0).started(OptionalInt.of(0), millis(60_000));

    // Then
    assertThat(outlook(UNMEASURED, 0).prefillTokensPerSecond()).isBetween(13_000.0, 14_000.0);
  }

  private Experience.Sent send(WorkerSnapshot worker, long atMillis) {
    return experience.sent(REQUEST, worker, outlook(worker, atMillis), millis(atMillis));
  }

  private Outlook outlook(WorkerSnapshot worker, long atMillis) {
    return experience.of(REQUEST, millis(atMillis)).outlook(worker, 0, 0);
  }

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
