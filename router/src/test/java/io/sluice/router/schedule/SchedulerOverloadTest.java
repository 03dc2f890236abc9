package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import io.sluice.router.lease.EndOffsetWatermark;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** A router that is given more to read than it can: what it has not read is held against nobody. */
class SchedulerOverloadTest {
  private static final Duration TICK = Duration.ofMillis(20);
  private static final int LOOKS_EVERY_TICKS = 12;

  private final VirtualRouter router = new VirtualRouter(100_000);
  private final EndOffsetWatermark heard = new EndOffsetWatermark(router.now().nanos());
  private final VirtualTask task = router.newTask(heard);
  private final Deque<Outcome> unread = new ArrayDeque<>();
  private long read;
  private int ticks;
  private int sent;
  private boolean brokersAnswer = true;

  SchedulerOverloadTest() {
    router.join(new TestWorker("w1").slots(100_000));
    heard.read(0);
    pass(Duration.ofSeconds(3), 0);
  }

  @Test
  void noRequestIsGivenAgainHoweverLateItsReportsAreRead() {
    // Given
    int requests = 1_000;
    for (int i = 0; i < requests; i++) {
      task.request(new TestRequest("r" + i).at(i));
    }
    answerAll();

    // When three thousand reports take 12 s
    pass(Duration.ofSeconds(13), 5);

    // Then
    assertThat(sent).isEqualTo(requests);
    assertThat(task.effects.revoked).isEmpty();
    assertThat(task.store.all()).isEmpty();
  }

  @Test
  void aWorkerThatIsUnresponsiveIsFoundOutOnceEverythingWasRead() {
    // Given
    for (int i = 0; i < 100; i++) {
      task.request(new TestRequest("r" + i).at(i));
    }
    LeaseRef unheard = task.effects.lastLease();
    task.effects.assigned.removeLast();
    answerAll();
    pass(Duration.ofSeconds(5), 0);
    boolean heldWhileBehind = task.effects.revoked.isEmpty();

    // When
    pass(Duration.ofSeconds(3), 1_000);

    // Then
    assertThat(heldWhileBehind).isTrue();
    assertThat(task.effects.revoked).containsExactly(unheard);
  }

  @Test
  void whileTheBrokersDoNotSayWhereTheLogEndsNoReportIsMissed() {
    // Given
    task.request(new TestRequest("r"));
    task.effects.assigned.clear();
    brokersAnswer = false;

    // When
    pass(Duration.ofSeconds(20), 10);
    boolean heldSoLong = task.effects.revoked.isEmpty();
    brokersAnswer = true;
    pass(Duration.ofMillis(260), 10);

    // Then
    assertThat(heldSoLong).isTrue();
    assertThat(task.effects.revoked).hasSize(1);
  }

  @Test
  void whileTheBrokersDoNotSayWhereTheLogEndsADeadWorkerIsFoundOut() {
    // Given
    task.request(new TestRequest("r"));
    LeaseRef lease = task.effects.lastLease();
    task.effects.assigned.clear();
    brokersAnswer = false;
    router.join(new TestWorker("w2"));
    router.join(new TestWorker("w3"));
    router.silence(lease.worker());

    // When
    pass(Duration.ofSeconds(2), 10);

    // Then
    assertThat(router.events.log).contains("requeued r worker_silent");
  }

  /** What was sent is accepted, started and answered at once; so say the reports. */
  private void answerAll() {
    task.effects.assigned.forEach(
        assignment -> {
          sent++;
          unread.add(new Outcome(assignment.lease(), new Outcome.Accepted()));
          unread.add(new Outcome(assignment.lease(), VirtualTask.started(10)));
          unread.add(new Outcome(assignment.lease(), VirtualTask.completed()));
        });
    task.effects.assigned.clear();
  }

  /** Time passes, in which the router can read so many reports per tick. */
  private void pass(Duration duration, int reportsPerTick) {
    for (long millis = 0; millis < duration.toMillis(); millis += TICK.toMillis()) {
      router.pass(TICK);
      if (brokersAnswer && ++ticks % LOOKS_EVERY_TICKS == 0) {
        heard.ended(read + unread.size(), router.now().nanos());
      }
      for (int i = 0; i < reportsPerTick && !unread.isEmpty(); i++) {
        Outcome outcome = unread.remove();
        task.outcome(outcome.lease(), outcome.event());
        heard.read(++read);
      }
      answerAll();
    }
  }
}
