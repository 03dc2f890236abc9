package io.sluice.router.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import io.sluice.router.policy.Decision.Room;
import io.sluice.router.request.Now;
import io.sluice.router.request.RequestFacts;
import io.sluice.router.schedule.TestRequest;
import io.sluice.router.schedule.VirtualRouter;
import java.util.List;
import org.junit.jupiter.api.Test;

class HoldsTest {
  private static final Now LATE = new Now(VirtualRouter.START_EPOCH_MILLIS + 5_000, 0);
  private static final Now EARLY = new Now(VirtualRouter.START_EPOCH_MILLIS + 4_999, 0);

  private static final List<Room> FOUR =
      List.of(new Room("w1", 10), new Room("w2", 20), new Room("w3", 30), new Room("w4", 40));

  private final Holds holds = new Holds();

  @Test
  void theWorkerThatHasRoomSoonestIsHeldOnceARequestHasWaitedLong() {
    // Then
    assertThat(holds.hold(request("a"), () -> FOUR, EARLY)).isEmpty();
    assertThat(holds.hold(request("a"), () -> FOUR, LATE)).contains("w1");
  }

  @Test
  void halfOfTheWorkersAreHeldAtMost() {
    // Then
    assertThat(holds.hold(request("a"), () -> FOUR, LATE)).contains("w1");
    assertThat(holds.hold(request("b"), () -> FOUR, LATE)).contains("w2");
    assertThat(holds.hold(request("c"), () -> FOUR, LATE)).isEmpty();
  }

  @Test
  void aHigherPriorityTakesAHoldOverWhereNoMoreAreAllowed() {
    // Given
    holds.hold(request("bulk", Priority.BULK), () -> FOUR, LATE);
    holds.hold(request("a"), () -> FOUR, LATE);

    // Then
    assertThat(holds.hold(request("urgent", Priority.URGENT), () -> FOUR, LATE)).contains("w1");
    assertThat(holds.heldFor("bulk")).isEmpty();
  }

  @Test
  void aRequestHoldsOneWorkerOnly() {
    // Given
    holds.hold(request("a"), () -> FOUR, LATE);

    // When
    holds.hold(request("a"), FOUR::reversed, LATE);

    // Then
    assertThat(holds.size()).isEqualTo(1);
    assertThat(holds.heldFor("a")).contains("w4");
  }

  @Test
  void nothingIsHeldWhereAWorkerHasRoomInItsMemory() {
    // Then
    List<Room> able = List.of(new Room("w1", 0), new Room("w2", 9));
    assertThat(holds.hold(request("a"), () -> able, LATE)).isEmpty();
  }

  @Test
  void aHoldKeepsOffAllButItsRequestAndHigherPriorities() {
    // Given
    holds.hold(request("a"), () -> FOUR, LATE);

    // Then
    assertThat(holds.keepsOff(request("a"), "w1")).isFalse();
    assertThat(holds.keepsOff(request("b"), "w1")).isTrue();
    assertThat(holds.keepsOff(request("b"), "w2")).isFalse();
    assertThat(holds.keepsOff(request("bulk", Priority.BULK), "w1")).isTrue();
    assertThat(holds.keepsOff(request("urgent", Priority.URGENT), "w1")).isFalse();
  }

  private static RequestFacts request(String id) {
    return request(id, Priority.INTERACTIVE);
  }

  private static RequestFacts request(String id, Priority priority) {
    return new TestRequest(id).priority(priority).facts();
  }
}
