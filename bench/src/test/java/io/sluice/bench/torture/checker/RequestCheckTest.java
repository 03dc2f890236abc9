package io.sluice.bench.torture.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.load.ExpectedEnd;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RecordPosition;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.load.SdkAnswer;
import io.sluice.bench.torture.log.IndependentFold;
import io.sluice.bench.torture.log.ReplyRecord;
import io.sluice.bench.torture.pool.Target;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Every violation that the checker knows is found, and nothing where nothing is wrong. */
class RequestCheckTest {
  private static final long DEADLINE = RecordedRequest.SENT + 150_000;

  @Test
  void aRightAnswerIsRight() {
    assertThat(RecordedRequest.answered(RequestKind.CHAT).check()).isEmpty();
  }

  @Test
  void whatKafkaTookHasToBeInALog() {
    RecordedRequest scene = RecordedRequest.of(RequestKind.CHAT);
    assertThat(scene.found()).containsExactly("Kafka accepted it, but it is in no topic");

    scene.isUnsent = true;
    assertThat(scene.found()).isEmpty();
    assertThat(scene.tokens(0, 0, 1, "one ").found())
        .containsExactly("it was never appended, but has replies");
  }

  @Test
  void aRequestWithoutAnEndIsFound() {
    assertThat(
            RecordedRequest.sent(RequestKind.CHAT)
                .tokens(RecordedRequest.SENT, 0, 1, "one ")
                .found())
        .containsExactly("it has no end");
  }

  @Test
  void anEndAfterTheDeadlineIsLateUnlessSomebodyHadToTakeOver() {
    RecordedRequest scene =
        RecordedRequest.sent(RequestKind.CHAT)
            .tokens(RecordedRequest.SENT, 0, 3, RecordedRequest.TEXT)
            .end(DEADLINE + 6_000, 3, "", 3);
    assertThat(scene.check())
        .singleElement()
        .matches(Violation::isLate)
        .extracting(Violation::what)
        .isEqualTo("it ended 6000 ms after its deadline");

    scene.faults.add(
        new InjectedFault(DEADLINE, DEADLINE + 1_000, "kill", List.of(Target.broker(1))));
    assertThat(scene.check()).isEmpty();
  }

  @Test
  void faultsThatNeedNoTakeoverAllowNoDelay() {
    RecordedRequest scene =
        RecordedRequest.sent(RequestKind.CHAT)
            .tokens(RecordedRequest.SENT, 0, 3, RecordedRequest.TEXT)
            .end(DEADLINE + 6_000, 3, "", 3);
    scene.faults.add(
        new InjectedFault(DEADLINE, DEADLINE + 1_000, "kill", List.of(Target.engine(1))));
    assertThat(scene.check()).hasSize(1);
  }

  @Test
  void anErrorThatItsKindMayNotEndWithIsFound() {
    assertThat(
            RecordedRequest.sent(RequestKind.CHAT)
                .error(RecordedRequest.SENT, "engine_error")
                .deadLetter("engine_error")
                .found())
        .singleElement()
        .asString()
        .startsWith("it ended with engine_error");
    RecordedRequest thrice = RecordedRequest.sent(RequestKind.CHAT).deadLetter("engine_error");
    List.of("1", "2", "3").forEach(thrice.log::failed);
    assertThat(thrice.error(RecordedRequest.SENT, "engine_error").check()).isEmpty();
  }

  @Test
  void aFailureWithoutADeadLetterIsFoundButForThoseThatLoseNothing() {
    assertThat(
            RecordedRequest.sent(RequestKind.INVALID_JSON)
                .error(RecordedRequest.SENT, "invalid_request")
                .found())
        .containsExactly("it ended with invalid_request and has no dead letter");
    assertThat(
            RecordedRequest.sent(RequestKind.LARGE)
                .error(RecordedRequest.SENT, "overloaded")
                .check())
        .isEmpty();
  }

  @Test
  void anEndBeforeTheDeadlineThatItNamesIsFound() {
    assertThat(
            RecordedRequest.sent(RequestKind.SHORT_DEADLINE)
                .tokens(RecordedRequest.SENT, 0, 1, "one ")
                .error(DEADLINE - 10_000, "deadline_exceeded")
                .deadLetter("deadline_exceeded")
                .found())
        .containsExactly("it was ended 10000 ms before its deadline");
  }

  @Test
  void textBeforeAnErrorHasToBeTheBeginning() {
    assertThat(
            RecordedRequest.sent(RequestKind.CANCELLED)
                .tokens(RecordedRequest.SENT, 0, 1, "two ")
                .error(RecordedRequest.SENT, "cancelled")
                .found())
        .singleElement()
        .asString()
        .startsWith("the text before the error is not the beginning");
  }

  @Test
  void anAnswerToWhatHasToBeRefusedIsFound() {
    assertThat(RecordedRequest.answered(RequestKind.UNSERVED_BULK).found())
        .containsExactly("it should not have been answered");
  }

  @Test
  void anotherTextIsFound() {
    assertThat(
            RecordedRequest.sent(RequestKind.CHAT)
                .tokens(RecordedRequest.SENT, 0, 3, "one two four")
                .end(RecordedRequest.SENT, 3, "", 3)
                .found())
        .singleElement()
        .asString()
        .startsWith("its text differs from the reference: choice 0 from character 8 on");
  }

  @Test
  void tokensThatAreNotAsManyAsToldAreFound() {
    assertThat(
            RecordedRequest.sent(RequestKind.CHAT)
                .tokens(RecordedRequest.SENT, 0, 3, RecordedRequest.TEXT)
                .end(RecordedRequest.SENT, 3, "", 4)
                .found())
        .containsExactly("3 tokens were read, its usage says 4, and the reference has 3");
  }

  @Test
  void aRequestThatGoesOnLongAfterItsCancellationIsFound() {
    RecordedRequest scene = RecordedRequest.sent(RequestKind.CANCELLED);
    scene.log.cancelled(RecordedRequest.SENT);
    assertThat(scene.error(RecordedRequest.SENT + 7_000, "cancelled").found())
        .containsExactly("it ended 7000 ms after it was cancelled");
  }

  @Test
  void readersThatDisagreeAreFound() {
    RecordedRequest late = RecordedRequest.answered(RequestKind.CHAT);
    late.late.at(PlannedRequest.REPLIES).lines().removeFirst();
    assertThat(late.found()).containsExactly("a reader that started later sees other records");

    RecordedRequest inBetween = RecordedRequest.answered(RequestKind.CHAT);
    inBetween.reattached = Optional.of(new IndependentFold());
    assertThat(inBetween.found())
        .containsExactly("a reader that joined in mid-stream read another answer");

    RecordedRequest sdk = RecordedRequest.answered(RequestKind.CHAT);
    sdk.told = Optional.of(new SdkAnswer("one", 1, "one", Optional.empty(), true));
    assertThat(sdk.found())
        .containsExactly(
            "the SDK's caller got another text: one",
            "the SDK streamed 1 tokens to its caller: one");

    sdk.told = Optional.of(new SdkAnswer("", 0, "", Optional.of("engine_error"), true));
    assertThat(sdk.found()).containsExactly("the SDK's caller was told engine_error");
  }

  @Test
  void readersMaySeeThePartitionsOfATopicInAnyOrder() {
    RecordedRequest scene = RecordedRequest.answered(RequestKind.BATCH_LINE);
    var pointer =
        new ReplyRecord(
            new RecordPosition(PlannedRequest.REPLIES, 1, 0),
            RecordedRequest.SENT,
            new ReplyRecord.Headers("id", "pointer", 0, "none", "", 0, -1, ""),
            new ReplyRecord.Payload(List.of(), "{}", 0));
    scene.log.reply(pointer);
    scene.late.at(PlannedRequest.REPLIES).lines().addFirst(pointer.asRecorded());
    assertThat(scene.found()).isEmpty();

    scene.late.at(PlannedRequest.REPLIES).lines().removeFirst();
    assertThat(scene.found()).containsExactly("a reader that started later sees other records");
  }

  @Test
  void aRequestThatWaitsForMinutesForItsFirstRecordIsFound() {
    assertThat(
            RecordedRequest.sent(RequestKind.CHAT)
                .tokens(RecordedRequest.SENT + 61_000, 0, 3, RecordedRequest.TEXT)
                .end(RecordedRequest.SENT + 62_000, 3, "", 3)
                .check())
        .singleElement()
        .matches(Violation::isLate)
        .extracting(Violation::what)
        .isEqualTo("it waited 61000 ms for its first record");
  }

  @Test
  void anEngineThatHungMayCostARequestTheTimeOfTheFirstToken() {
    RecordedRequest scene =
        RecordedRequest.sent(RequestKind.CHAT)
            .tokens(RecordedRequest.SENT + 122_000, 0, 3, RecordedRequest.TEXT)
            .end(RecordedRequest.SENT + 123_000, 3, "", 3);
    assertThat(scene.found()).containsExactly("it waited 122000 ms for its first record");

    scene.faults.add(
        new InjectedFault(
            RecordedRequest.SENT - 1_000,
            RecordedRequest.SENT + 10_000,
            "engine fault hang-before-first-token",
            List.of(Target.engine(1))));
    assertThat(scene.found()).isEmpty();
  }

  @Test
  void anUnknownModelIsWaitedForOnlyAfterAnotherRouterHasTakenOver() {
    RecordedRequest scene =
        RecordedRequest.sent(RequestKind.UNKNOWN_MODEL)
            .error(DEADLINE, "deadline_exceeded")
            .deadLetter("deadline_exceeded");
    assertThat(scene.found()).isNotEmpty();

    scene.faults.add(
        new InjectedFault(
            RecordedRequest.SENT - 9_000, RecordedRequest.SENT, "kill", List.of(Target.router(1))));
    assertThat(scene.found()).isEmpty();
  }

  @Test
  void aSlowPoolExcusesNoEndThatSaysNothingOfWhatIsWrong() {
    assertThat(
            RecordedRequest.sent(RequestKind.KILLS_WORKERS)
                .error(DEADLINE, "deadline_exceeded")
                .deadLetter("deadline_exceeded")
                .check())
        .singleElement()
        .matches(violation -> !violation.isLate());
    assertThat(
            RecordedRequest.sent(RequestKind.CHAT)
                .tokens(RecordedRequest.SENT, 0, 1, "one ")
                .error(DEADLINE, "deadline_exceeded")
                .deadLetter("deadline_exceeded")
                .check())
        .singleElement()
        .matches(Violation::isLate);
  }

  @Test
  void aRequestMayBeBlamedForTwoDeathsOnlyIfItGaveNoToken() {
    RecordedRequest blamed =
        RecordedRequest.sent(RequestKind.CHAT)
            .error(RecordedRequest.SENT + 2_000, "worker_lost")
            .deadLetter("worker_lost");
    blamed.faults.add(killedWorker());
    assertThat(blamed.found()).singleElement().asString().contains("it ended with worker_lost");
    blamed.faults.add(killedWorker());
    assertThat(blamed.found()).isEmpty();

    RecordedRequest proven =
        RecordedRequest.sent(RequestKind.CHAT)
            .tokens(RecordedRequest.SENT + 500, 0, 1, "one ")
            .error(RecordedRequest.SENT + 2_000, "worker_lost")
            .deadLetter("worker_lost");
    proven.faults.addAll(blamed.faults);
    assertThat(proven.found()).singleElement().asString().contains("it ended with worker_lost");
  }

  private static InjectedFault killedWorker() {
    long at = RecordedRequest.SENT + 100;
    return new InjectedFault(at, at, "kill -9 worker", List.of(Target.worker(1)));
  }

  @Test
  void aPromptThatTakesTooManyWorkersWithItIsFound() {
    RecordedRequest scene =
        RecordedRequest.sent(RequestKind.KILLS_WORKERS)
            .error(RecordedRequest.SENT, "worker_lost")
            .deadLetter("worker_lost");
    scene.workersKilled = ExpectedEnd.MOST_WORKERS_KILLED;
    assertThat(scene.check()).isEmpty();

    scene.workersKilled++;
    assertThat(scene.found()).containsExactly("it killed 4 workers");
  }
}
