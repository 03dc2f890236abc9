package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.TestWorker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that wait for a full fleet cost little until something becomes free. */
class SchedulerNoRoomCacheTest {
  private static final int WORKERS = 50;
  private static final int UNSERVED = 100;

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();
  private final List<LeaseRef> running = new ArrayList<>();

  @BeforeEach
  void fillTheFleet() {
    for (int i = 0; i < WORKERS; i++) {
      router.join(new TestWorker("w" + i).slots(1));
    }
    for (int i = 0; i < WORKERS; i++) {
      running.add(task.start(new TestRequest("r" + i).at(i)));
    }
    for (int i = 0; i < 4; i++) {
      task.request(new TestRequest("large" + i).at(100 + i).lane("8k"));
      task.request(new TestRequest("next" + i).at(200 + i));
    }
    router.candidates = 0;
    task.effects.clear();
  }

  @Test
  void aReportThatALeaseGoesOnComparesNoRequestWithTheFleet() {
    // When
    running.forEach(lease -> task.outcome(lease, new Outcome.Progress(7)));

    // Then
    assertThat(router.candidates).isZero();
  }

  @Test
  void aTickComparesNoRequestWithAFullFleet() {
    // When
    router.pass(Duration.ofMillis(220));

    // Then
    assertThat(router.candidates).isZero();
  }

  @Test
  void aFleetThatIsFullIsStillComparedNowAndThen() {
    // When
    router.pass(Duration.ofSeconds(1));

    // Then: two groups, four times at most
    assertThat(router.candidates).isBetween(WORKERS, 2 * 4 * WORKERS);
  }

  @Test
  void aSlotThatBecomesFreeIsUsedAtOnce() {
    // When
    task.outcome(running.getFirst(), VirtualTask.completed());

    // Then
    assertThat(task.effects.workers()).containsExactly(running.getFirst().worker());
  }

  @Test
  void aSlotThatAnotherTaskFreesIsUsedWithTheNextTick() {
    // Given
    VirtualTask other = router.newTask();
    other.request(new TestRequest("elsewhere"));
    task.outcome(running.getFirst(), new Outcome.Cancelled());
    LeaseRef taken = task.effects.lastLease();
    task.effects.clear();

    // When
    task.outcome(taken, VirtualTask.completed());
    int sentByTheFirst = task.effects.assigned.size();
    task.outcome(running.get(1), VirtualTask.completed());
    router.pass(Duration.ofMillis(20));

    // Then
    assertThat(sentByTheFirst).isEqualTo(1);
    assertThat(task.effects.assigned.size() + other.effects.assigned.size()).isEqualTo(2);
  }

  @Test
  void aWorkerThatJoinsGetsWhatWaitsWithTheNextTick() {
    // When
    router.join(new TestWorker("new").slots(1));
    router.pass(Duration.ofMillis(20));

    // Then
    assertThat(task.effects.workers()).containsExactly("new");
  }

  @Test
  void whatNoWorkerServesIsComparedWithTheFleetOnceASecond() {
    // Given
    VirtualRouter idle = new VirtualRouter();
    idle.join(new TestWorker("w"));
    VirtualTask waits = idle.settledTask();
    for (int i = 0; i < UNSERVED; i++) {
      waits.request(new TestRequest("r" + i).at(i).model("unserved").promptTokens(1_000 - i));
    }
    idle.pass(Duration.ofMillis(20));
    idle.candidates = 0;

    // When
    idle.pass(Duration.ofMillis(900));
    int withinASecond = idle.candidates;
    idle.pass(Duration.ofMillis(200));
    int afterIt = idle.candidates;
    idle.join(new TestWorker("new").models("unserved"));
    idle.pass(Duration.ofMillis(20));

    // Then
    assertThat(withinASecond).isLessThan(UNSERVED);
    assertThat(afterIt).isGreaterThan(UNSERVED);
    assertThat(waits.effects.workers()).contains("new");
  }
}
