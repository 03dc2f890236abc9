package io.sluice.router.schedule;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.AttemptEnd;
import io.sluice.common.protocol.AttemptEnd.Reason;
import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.common.protocol.PastAttempt;
import io.sluice.router.TestWorker;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** What a dead letter tells of the attempts before it. */
class DeadLetterHistoryTest {
  private static final TestRequest REQUEST = new TestRequest("r").deadlineMillis(600_000);
  private static final Duration BACKOFF = Duration.ofSeconds(2);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void aDeadLetterTellsEveryAttemptWithItsWorkerTimesTokensAndEnd() {
    // Given
    router.join(new TestWorker("w1"));
    LeaseRef first = task.start(REQUEST);
    long given = router.now().epochMillis();
    router.pass(Duration.ofMillis(100));

    // When
    task.outcome(first, TestWorker.failure(7));
    final long failed = router.now().epochMillis();
    router.pass(BACKOFF);
    task.outcome(task.effects.lastLease(), new Outcome.Returned(ReturnReason.DRAINING, 7));
    router.pass(BACKOFF);
    task.outcome(task.effects.lastLease(), TestWorker.rejection());

    // Then
    AttemptHistory history = deadLetter().history();
    assertThat(history.attempts()).isEqualTo(3);
    assertThat(history.tokens()).isEqualTo(7);
    assertThat(ends(history)).containsExactly(Reason.FAILED, Reason.RETURNED, Reason.FAILED);
    PastAttempt past = history.last().getFirst();
    assertThat(past.attempt()).isEqualTo(1);
    assertThat(past.worker()).isEqualTo("w1");
    assertThat(past.lease()).isEqualTo(first.lease());
    assertThat(past.startEpochMillis()).isEqualTo(given);
    assertThat(past.endEpochMillis()).isEqualTo(failed);
    assertThat(past.tokens()).isEqualTo(7);
    assertThat(past.end().message()).isEqualTo("the engine broke");
    assertThat(history.last().get(1).end().code()).isEqualTo("draining");
  }

  @Test
  void theThirdFailureIsToldOnce() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(REQUEST);

    // When
    for (int attempt = 1; attempt <= 3; attempt++) {
      task.outcome(task.effects.lastLease(), TestWorker.failure(0));
      router.pass(BACKOFF);
    }

    // Then
    assertThat(ends(deadLetter().history()))
        .containsExactly(Reason.FAILED, Reason.FAILED, Reason.FAILED);
  }

  @Test
  void aLostLeaseAndARequestThatNoWorkerTookAreToldToo() {
    // Given
    router.join(new TestWorker("w1"));
    task.start(new TestRequest("r").deadlineMillis(20_000));

    // When
    router.leave("w1");
    router.pass(Duration.ofSeconds(30), Duration.ofMillis(100));

    // Then
    AttemptHistory history = deadLetter().history();
    assertThat(ends(history)).containsExactly(Reason.LOST);
    assertThat(history.last().getFirst().end().code()).isEqualTo("worker_gone");
  }

  @Test
  void onlyTheLatestAttemptsAreKeptOfARequestThatIsHandedBackForEver() {
    // Given
    router.join(new TestWorker("w1"));
    task.request(REQUEST);

    // When
    for (int i = 0; i < 30; i++) {
      task.outcome(task.effects.lastLease(), new Outcome.Returned(ReturnReason.NO_SLOT, 0));
      router.pass(BACKOFF);
    }
    task.outcome(task.effects.lastLease(), TestWorker.rejection());

    // Then
    AttemptHistory history = deadLetter().history();
    assertThat(history.attempts()).isEqualTo(31);
    assertThat(history.last().stream().map(PastAttempt::attempt).toList())
        .containsExactlyElementsOf(IntStream.rangeClosed(12, 31).boxed().toList());
  }

  @Test
  void theHistoryOutlivesTheRouter() {
    // Given
    router.join(new TestWorker("w1"));
    task.outcome(task.start(REQUEST), TestWorker.failure(3));

    // When
    router.crash();
    router.pass(BACKOFF, Duration.ofMillis(100));
    task.outcome(task.effects.lastLease(), TestWorker.rejection());

    // Then
    assertThat(ends(deadLetter().history())).containsExactly(Reason.FAILED, Reason.FAILED);
  }

  @Test
  void anEndThatComesLateReplacesWhatWasGuessed() {
    // Given
    LeaseRef lease = new LeaseRef("r", 1, "l", "w1", "i");
    History lost =
        History.NONE
            .leased(1, 100)
            .ended(lease, AttemptEnd.of(Reason.LOST, "worker_silent"), new TimePoint(200, 0));

    // When
    History told = lost.ended(lease, AttemptEnd.of(Reason.EXPIRED, ""), new TimePoint(300, 0));

    // Then
    assertThat(told.past())
        .containsExactly(
            new PastAttempt(1, "w1", "l", 100, 300, 0, AttemptEnd.of(Reason.EXPIRED, "")));
  }

  @Test
  void aRedrivenRequestThatThePoolIsTooFullForBecomesADeadLetterAgain() {
    // Given
    VirtualRouter small = new VirtualRouter(0);
    VirtualTask full = small.settledTask();
    Headers redriven = new RecordHeaders().add(HeaderNames.REDRIVE_OF, "r".getBytes(UTF_8));

    // When
    full.scheduler()
        .request(
            new TestRequest("again").accepted(),
            new RequestBody(redriven, "{}".getBytes(UTF_8)),
            small.now());
    full.request(new TestRequest("first time"));

    // Then
    assertThat(full.effects.log)
        .containsExactly("dead-letter:overloaded", "terminal:overloaded", "terminal:overloaded");
  }

  private RecordedEffects.DeadLetter deadLetter() {
    return task.effects.deadLetters.getFirst();
  }

  private static List<Reason> ends(AttemptHistory history) {
    return history.last().stream().map(past -> past.end().reason()).toList();
  }
}
