package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.TestWorker;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.EndedLimit;
import io.sluice.router.schedule.task.EndedRequests;
import io.sluice.router.schedule.task.Timers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Requests that are over are remembered, but never more of them than there is room for. */
class EndedRequestsTest {
  private static final long ROOM_FOR_TEN = 10 * 400L;

  private final VirtualRouter router = VirtualRouter.withEndedLimit(ROOM_FOR_TEN);
  private final VirtualTask task = router.settledTask();

  @Test
  void theOldestAreForgottenWhereThereIsRoomForNoMore() {
    // When
    endAHundred();

    // Then
    assertThat(router.parts().endedLimit().bytes()).isBetween(ROOM_FOR_TEN / 2, ROOM_FOR_TEN);
    assertThat(task.stateName("r-0")).isEqualTo("unknown");
    assertThat(task.stateName("r-99")).isEqualTo("ended");
    assertThat(task.stateName("r-95")).isEqualTo("ended");
  }

  @Test
  void aLongDeadlineOutlivesNoneThatEndedAfterIt() {
    // Given
    router.join(new TestWorker("w1"));
    end(new TestRequest("bulk").deadlineMillis(Duration.ofHours(20).toMillis()));

    // When
    endAHundred();

    // Then
    assertThat(task.stateName("bulk")).isEqualTo("unknown");
  }

  @Test
  void aRouterThatTakesOverKeepsNoMoreEither() {
    // Given
    endAHundred();

    // When
    router.crash();
    router.pass(Duration.ofSeconds(5));

    // Then
    assertThat(router.parts().endedLimit().bytes()).isBetween(ROOM_FOR_TEN / 2, ROOM_FOR_TEN);
    assertThat(task.stateName("r-99")).isEqualTo("ended");
  }

  @Test
  void whatATaskThatIsClosedRememberedTakesNoRoom() {
    // Given
    var limit = new EndedLimit(ROOM_FOR_TEN);
    var ended = new EndedRequests(new InMemoryRequestStore(), limit, router.now());
    var tracked =
        new TrackedRequest(
            new TestRequest("r").metadata(),
            History.NONE,
            new RequestState.Pending(0, Optional.empty()));
    ended.add(EndedRequest.of(tracked, 5));
    assertThat(limit.bytes()).isPositive();

    // When
    ended.close();

    // Then
    assertThat(limit.bytes()).isZero();
  }

  @Test
  void theSameTimerIsSetOnce() {
    var timers = new Timers();
    timers.set(5, "a");
    timers.set(5, "a");
    timers.set(4, "b");
    timers.set(9, "c");

    assertThat(timers.due(8)).isEqualTo(List.of("b", "a"));
    assertThat(timers.due(8)).isEmpty();
  }

  private void endAHundred() {
    router.join(new TestWorker("w1"));
    for (int i = 0; i < 100; i++) {
      end(new TestRequest("r-" + i));
      router.pass(Duration.ofMillis(20));
    }
  }

  private void end(TestRequest request) {
    task.request(request);
    task.outcome(task.effects.lastLease(), VirtualTask.completed());
  }
}
