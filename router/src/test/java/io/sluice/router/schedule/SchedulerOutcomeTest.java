package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import io.sluice.router.catalog.PromptFactors;
import io.sluice.router.parse.ParsedRequest;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.ReplyStarts;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState;
import io.sluice.router.schedule.RecordedEffects.Terminal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SchedulerOutcomeTest {
  private static final TestRequest REQUEST = new TestRequest("r").deadlineMillis(600_000);
  private static final PrefixChain PREFIX =
      new PrefixChain(LongStream.rangeClosed(1, 20).toArray(), 64);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @BeforeEach
  void twoWorkers() {
    router.join(new TestWorker("w1"));
    router.join(new TestWorker("w2"));
  }

  @Test
  void aFailedAttemptIsTriedAgainOnAnotherWorkerUnderTheNextAttempt() {
    // Given
    LeaseRef first = task.start(REQUEST);

    // When
    task.outcome(first, TestWorker.failure(0));
    router.pass(Duration.ofMillis(60));

    // Then
    LeaseRef second = task.effects.lastLease();
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.worker()).isNotEqualTo(first.worker());
    assertThat(second.lease()).isNotEqualTo(first.lease());
    assertThat(task.effects.assigned.getLast().fresh()).isFalse();
  }

  @Test
  void afterThreeFailedAttemptsTheCallerIsTold() {
    // Given
    task.request(REQUEST);

    // When
    for (int attempt = 1; attempt <= 3; attempt++) {
      task.outcome(task.effects.lastLease(), TestWorker.failure(0));
      router.pass(Duration.ofSeconds(1));
    }

    // Then
    assertThat(task.effects.assigned).hasSize(3);
    Terminal terminal = task.effects.terminals.getFirst();
    assertThat(terminal.code()).isEqualTo("engine_error");
    assertThat(terminal.lease().attempt()).isGreaterThan(3);
    assertThat(task.effects.deadLetters.getFirst().message())
        .startsWith("3 attempts failed; check worker w")
        .endsWith("the engine broke");
  }

  @Test
  void anAnswerThatIsTooLargeCostsOneGenerationAndTheRouterTellsTheCaller() {
    // Given
    LeaseRef lease = task.start(REQUEST);
    String message = "a reply of 9437184 bytes is more than topic sluice.replies takes";

    // When
    task.outcome(lease, new Outcome.Rejected(ErrorKind.ANSWER_TOO_LARGE, 0, message, false));
    router.pass(Duration.ofMinutes(5));

    // Then: under an attempt that outranks whatever the worker wrote
    assertThat(task.effects.assigned).hasSize(1);
    Terminal terminal = task.effects.terminals.getFirst();
    assertThat(terminal.code()).isEqualTo("answer_too_large");
    assertThat(terminal.lease().attempt()).isGreaterThan(lease.attempt());
    assertThat(task.effects.deadLetters.getFirst().message()).isEqualTo(message);
  }

  @Test
  void anAttemptThatAddedTokensRestartsTheBudget() {
    // Given
    task.request(REQUEST);
    failAfter(0);
    failAfter(0);

    // When
    failAfter(10);
    failAfter(10);

    // Then
    assertThat(task.stateName("r")).isEqualTo("leased");
    assertThat(task.history("r").failures()).isEqualTo(2);
    assertThat(task.history("r").tokens()).isEqualTo(10);
  }

  @Test
  void whatAnEngineHadCachedCountsThoughItTellsOnlyAtTheEnd() {
    // Given
    router.leave("w2");
    request(withPrefix("a"));
    answer(OptionalInt.of(0));
    long before = expectedInCache();

    // When: the second is expected to find what the first left
    request(withPrefix("b"));
    answer(OptionalInt.of(0));

    // Then
    assertThat(before).isEqualTo(1_280);
    assertThat(expectedInCache()).isEqualTo(1_152);
  }

  @Test
  void handBacksAreFree() {
    // Given
    task.request(REQUEST);

    // When
    for (int time = 1; time <= 10; time++) {
      task.outcome(
          task.effects.lastLease(), new Outcome.Returned(Outcome.ReturnReason.DRAINING, 0));
      router.pass(Duration.ofMillis(500));
    }

    // Then
    assertThat(task.stateName("r")).isEqualTo("leased");
    assertThat(task.history("r").failures()).isZero();
    assertThat(task.effects.lastLease().attempt()).isEqualTo(11);
  }

  @Test
  void anEngineThatIsBusyIsNotOneThatFails() {
    // Given
    task.request(REQUEST);

    // When
    for (int time = 1; time <= 5; time++) {
      task.outcome(task.effects.lastLease(), TestWorker.busy(100));
      router.pass(Duration.ofSeconds(1));
    }

    // Then
    assertThat(task.stateName("r")).isEqualTo("leased");
    assertThat(task.history("r").failures()).isZero();
  }

  @Test
  void theFirstFailureOfAnEngineIsMadeUpForAtOnceAndTheNextALittleLater() {
    // Given
    task.request(REQUEST);

    // When
    task.outcome(task.effects.lastLease(), TestWorker.failure(0));
    int sentAtOnce = task.effects.assigned.size();
    router.join(new TestWorker("w3"));
    task.outcome(task.effects.lastLease(), TestWorker.failure(0));

    // Then
    assertThat(sentAtOnce).isEqualTo(2);
    assertThat(task.effects.workers()).containsExactlyInAnyOrder("w1", "w2");
    assertThat(task.stateName("r")).isEqualTo("pending");
  }

  @Test
  void aRequestOverWhichWorkersBreakIsGivenUpToo() {
    // Given
    task.request(REQUEST);

    // When
    for (int attempt = 1; attempt <= 3; attempt++) {
      task.outcome(
          task.effects.lastLease(), new Outcome.Failed(FailureCode.WORKER_ERROR, "it broke", 0));
      router.pass(Duration.ofSeconds(1));
    }

    // Then
    assertThat(task.effects.log).endsWith("dead-letter:engine_error", "terminal:engine_error");
  }

  @ParameterizedTest
  @EnumSource(
      names = {"REPLY_UNREADABLE", "REPLY_UNWRITABLE", "NOT_RESUMABLE", "ENGINE_OVERLOADED"})
  void anAttemptThatDoesNotCountAsAFailureIsTriedAgainEverLaterUntilTheDeadline(FailureCode code) {
    // Given
    task.request(REQUEST);
    List<Long> waits = new ArrayList<>();

    // When
    for (int time = 1; time <= 8; time++) {
      task.outcome(task.effects.lastLease(), new Outcome.Failed(code, "no", 0));
      waits.add(
          ((RequestState.Pending) task.state("r")).notBeforeMillis() - router.now().epochMillis());
      router.pass(Duration.ofSeconds(8));
    }

    // Then
    assertThat(task.stateName("r")).isEqualTo("leased");
    assertThat(task.history("r").failures()).isZero();
    assertThat(waits.getLast()).isGreaterThan(20 * waits.getFirst());
    router.pass(Duration.ofSeconds(600));
    assertThat(task.stateName("r")).isNotIn("leased", "pending");
  }

  @Test
  void anEngineThatAsksForTimeGetsItButNotMoreThanHalfOfWhatIsLeft() {
    // Given
    task.request(new TestRequest("r").deadlineMillis(router.elapsedMillis() + 10_000));

    // When
    task.outcome(task.effects.lastLease(), TestWorker.busy(3_600_000));

    // Then
    long wait =
        ((RequestState.Pending) task.state("r")).notBeforeMillis() - router.now().epochMillis();
    assertThat(wait).isBetween(2_500L, 5_000L);
  }

  @Test
  void anEngineThatAsksForLittleTimeIsNotMadeToWaitLonger() {
    // Given
    task.request(REQUEST);

    // When
    task.outcome(task.effects.lastLease(), TestWorker.busy(400));
    router.pass(Duration.ofMillis(180));
    int sentTooEarly = task.effects.assigned.size();
    router.pass(Duration.ofMillis(240));

    // Then
    assertThat(sentTooEarly).isEqualTo(1);
    assertThat(task.effects.assigned).hasSize(2);
  }

  @Test
  void whatNoWorkerCanEverServeIsOverAndKeptForOperators() {
    // Given
    LeaseRef lease = task.start(REQUEST);

    // When
    task.outcome(lease, TestWorker.rejection());

    // Then: the worker has answered, so the router writes the dead letter only
    assertThat(task.effects.terminals).isEmpty();
    assertThat(task.effects.deadLetters.getFirst().message()).isEqualTo("the engine objects");
    assertThat(task.stateName("r")).isEqualTo("ending");
    task.endWritten("r");
    assertThat(task.stateName("r")).isEqualTo("ended");
  }

  @Test
  void aCancelledRequestLeavesNoDeadLetterAlsoWhenAWorkerReportsIt() {
    // Given
    LeaseRef lease = task.start(REQUEST);

    // When: a claim found the error of a router that died before it could store it
    task.outcome(lease, new Outcome.Rejected(ErrorKind.CANCELLED, 0, "", true));

    // Then
    assertThat(task.effects.log).doesNotContain("dead-letter:cancelled");
    assertThat(task.stateName("r")).isEqualTo("ended");
  }

  @Test
  void aDeadLetterThatWasOnItsWayWhenTheRouterDiedIsSentAgain() {
    // Given
    LeaseRef lease = task.start(REQUEST);
    task.outcome(lease, TestWorker.rejection());
    task.effects.clear();

    // When
    task.begin();

    // Then
    assertThat(task.effects.log).containsExactly("dead-letter:invalid_request");
    assertThat(task.effects.deadLetters.getFirst().message()).isEqualTo("the engine objects");
  }

  @Test
  void anEnginesEndlessErrorIsCutShort() {
    // Given
    LeaseRef lease = task.start(REQUEST);

    // When
    task.outcome(
        lease, new Outcome.Rejected(ErrorKind.INVALID_REQUEST, 400, "x".repeat(9_000_000), true));

    // Then
    assertThat(task.effects.deadLetters.getFirst().message()).hasSizeLessThan(1_010);
  }

  @Test
  void aSupersededAttemptIsTriedAgainALittleLater() {
    // Given
    LeaseRef lease = task.start(REQUEST);
    task.effects.clear();

    // When
    task.outcome(lease, new Outcome.Superseded());
    router.pass(Duration.ofMillis(180));
    boolean waited = task.effects.assigned.isEmpty();
    router.pass(Duration.ofMillis(60));

    // Then
    assertThat(waited).isTrue();
    assertThat(task.effects.lastLease().attempt()).isEqualTo(2);
    assertThat(task.history("r").failures()).isZero();
  }

  @Test
  void theNextAttemptIsToldWhereTheFirstReplyStands() {
    // Given
    LeaseRef lease = task.start(REQUEST);

    // When
    task.outcome(lease, new Outcome.Returned(Outcome.ReturnReason.DRAINING, 3));
    router.pass(Duration.ofMillis(40));

    // Then
    assertThat(task.effects.assigned.getLast().foldFromOffset()).hasValue(10);
  }

  @Test
  void aLaterAttemptsFirstReplyIsNotTakenForTheRequestsFirst() {
    // Given: the first worker died before it could say where its reply begins
    long asked = router.now().epochMillis();
    task.request(REQUEST);
    router.leave(task.effects.lastLease().worker());
    router.pass(Duration.ofMillis(40));
    task.outcome(task.effects.lastLease(), VirtualTask.started(500));

    // When
    router.join(new TestWorker("w3"));
    task.outcome(task.effects.lastLease(), TestWorker.failure(0));
    router.pass(Duration.ofMillis(300));

    // Then
    Assignment third = task.effects.assigned.getLast();
    assertThat(third.lease().attempt()).isEqualTo(3);
    assertThat(third.foldFromOffset()).isEmpty();
    assertThat(third.foldFromTimeMillis()).isEqualTo(asked - ReplyStarts.MARGIN.toMillis());
  }

  @Test
  void everyWayToEndGivesTheSlotBackAndDropsTheBody() {
    // Given
    task.request(new TestRequest("a"));
    LeaseRef a = task.effects.lastLease();
    task.request(new TestRequest("b"));
    LeaseRef b = task.effects.lastLease();
    task.request(new TestRequest("c"));
    LeaseRef c = task.effects.lastLease();

    // When
    task.outcome(a, new Outcome.Cancelled());
    task.outcome(b, new Outcome.Expired());
    task.outcome(c, TestWorker.rejection());

    // Then: a slot at once, a body once nobody needs it for a dead letter
    RequestMetadata.Source sourceOfB = new TestRequest("b").metadata().source();
    RequestMetadata.Source sourceOfC = new TestRequest("c").metadata().source();
    assertThat(router.parts().ledger().at("w1").leases()).isZero();
    assertThat(router.parts().ledger().at("w2").leases()).isZero();
    assertThat(router.bodies.cached()).containsExactlyInAnyOrder(sourceOfB, sourceOfC);
    task.endWritten("b");
    task.endWritten("c");
    assertThat(router.bodies.cached()).isEmpty();
  }

  private void request(ParsedRequest.Accepted request) {
    task.scheduler().request(request, REQUEST.body(), router.now());
  }

  private static ParsedRequest.Accepted withPrefix(String id) {
    return new ParsedRequest.Accepted(new TestRequest(id).promptTokens(1_280).metadata(), PREFIX);
  }

  /** The engine has nothing of the prompt in its cache, or so much. */
  private void answer(OptionalInt cachedTokens) {
    LeaseRef lease = task.effects.lastLease();
    task.outcome(lease, VirtualTask.started(10));
    task.outcome(lease, new Outcome.Completed("stop", 1_280, 5, 300, cachedTokens));
  }

  private long expectedInCache() {
    RequestProfile profile = withPrefix("any").metadata().profile(Set.of()).beginningWith(PREFIX);
    return router
        .parts()
        .routing()
        .experience()
        .of(profile, router.now().nanos())
        .outlook(new TestWorker("w1").snapshot(), 0, 0)
        .cachedTokens();
  }

  private void failAfter(int tokens) {
    task.outcome(task.effects.lastLease(), TestWorker.failure(tokens));
    router.pass(Duration.ofSeconds(1));
  }

  @Test
  void theRealLengthOfPromptsIsLearnedFromFirstAttemptsOfTheModelThatWasAskedFor() {
    // Given
    router.join(new TestWorker("w1"));
    router.join(new TestWorker("w2").models("mini"));

    // When
    for (int number = 0; number < PromptFactors.ENOUGH; number++) {
      task.request(new TestRequest("r" + number).promptTokens(289));
      task.outcome(task.effects.lastLease(), new Outcome.Completed("stop", 630, 5, 300));
      task.request(new TestRequest("m" + number).model("mini").promptTokens(100));
      LeaseRef lost = task.effects.lastLease();
      task.outcome(lost, new Outcome.Returned(Outcome.ReturnReason.DRAINING, 0));
      router.pass(Duration.ofSeconds(3));
      task.outcome(task.effects.lastLease(), new Outcome.Completed("stop", 500, 5, 300));
    }

    // Then
    assertThat(router.parts().factors().of("llama")).isEqualTo(630.0 / 289);
    assertThat(router.parts().factors().of("mini")).isEqualTo(1);
  }
}
