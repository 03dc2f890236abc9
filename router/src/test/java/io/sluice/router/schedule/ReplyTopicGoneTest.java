package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.router.TestWorker;
import io.sluice.router.placement.Ledger;
import io.sluice.router.request.EndRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A service is undeployed, and its reply topic deleted, while the pool has requests of it. */
class ReplyTopicGoneTest {
  private static final String TOPIC = "sluice.replies.service";
  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();
  private final TestRequest request = new TestRequest("r").replyTo(new ReplyAddress(TOPIC, 3));

  @BeforeEach
  void join() {
    router.join(new TestWorker("w1"));
  }

  @Test
  void aRequestWhoseAnswerCannotBeWrittenEndsOnTheTopicOfAllWithADeadLetter() {
    // Given
    LeaseRef lease = task.start(request);
    router.topicMissing(TOPIC);

    // When
    task.outcome(lease, unwritable());

    // Then
    var terminal = task.effects.terminals.getFirst();
    assertThat(terminal.metadata().replyTo())
        .isEqualTo(new ReplyAddress("sluice.replies", Partitions.of("r", 8)));
    assertThat(terminal.code()).isEqualTo("invalid_request");
    assertThat(task.effects.deadLetters.getFirst().message())
        .contains("reply topic 'sluice.replies.service' is gone");
    assertThat(task.effects.assigned).hasSize(1);
  }

  @Test
  void aWaitingRequestIsNotGivenToAWorkerAnyMore() {
    // Given
    router.leave("w1");
    task.request(request);
    router.topicMissing(TOPIC);

    // When
    router.join(new TestWorker("w2"));
    router.pass(Duration.ofMillis(40));

    // Then
    assertThat(task.effects.assigned).isEmpty();
    assertThat(task.effects.terminals).hasSize(1);
    assertThat(router.parts().ledger().at("w2")).isEqualTo(Ledger.Reserved.NONE);
  }

  @Test
  void anEndThatWasOnItsWayToTheTopicIsWrittenElsewhereWithADeadLetterThoughACancelLeavesNone() {
    // Given
    task.request(request);
    task.control(new Control.Cancel("r"));
    router.topicMissing(TOPIC);

    // When
    task.endNotWritten("r");
    router.pass(Duration.ofMillis(1_020));

    // Then
    assertThat(task.effects.log)
        .endsWith("terminal:cancelled", "dead-letter:cancelled", "terminal:cancelled");
    assertThat(task.effects.terminals.getLast().metadata().replyTo().topic())
        .isEqualTo("sluice.replies");
  }

  @Test
  void aPartitionThatTheTopicDoesNotHaveAnyMoreIsGoneToo() {
    // Given
    var beyond = new TestRequest("r").replyTo(new ReplyAddress(TOPIC, 8));

    // When
    task.request(beyond);

    // Then
    assertThat(task.effects.assigned).isEmpty();
    assertThat(task.effects.terminals).hasSize(1);
  }

  @Test
  void whileTheTopicOfAllIsNotKnownNothingIsGone() {
    // Given
    LeaseRef lease = task.start(request);
    router.topicMissing(TOPIC);
    router.topicMissing("sluice.replies");

    // When
    task.outcome(lease, unwritable());

    // Then
    assertThat(task.stateName("r")).isEqualTo("pending");
  }

  @Test
  void anEndThatCannotBeWrittenIsTriedEverMoreRarely() {
    // Given
    task.request(request);
    task.control(new Control.Cancel("r"));
    List<Long> triedAt = new ArrayList<>();
    long start = router.elapsedMillis();

    // When
    for (int tries = task.effects.ends.size(); triedAt.size() < 8; ) {
      task.scheduler().endNotWritten("r", EndRecord.TERMINAL, router.now());
      while (task.effects.ends.size() == tries) {
        router.pass(Duration.ofSeconds(1), Duration.ofSeconds(1));
      }
      tries = task.effects.ends.size();
      triedAt.add((router.elapsedMillis() - start) / 1_000);
    }

    // Then
    assertThat(triedAt).containsExactly(1L, 3L, 7L, 15L, 31L, 63L, 123L, 183L);
  }

  private static Outcome.Failed unwritable() {
    return new Outcome.Failed(FailureCode.REPLY_UNWRITABLE, "away", 0);
  }
}
