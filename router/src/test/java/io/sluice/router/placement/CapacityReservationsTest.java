package io.sluice.router.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import io.sluice.router.policy.Decision.Room;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import io.sluice.router.schedule.TestRequest;
import io.sluice.router.schedule.VirtualRouter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CapacityReservationsTest {
  private static final TimePoint LATE = new TimePoint(VirtualRouter.START_EPOCH_MILLIS + 5_000, 0);
  private static final TimePoint EARLY = new TimePoint(VirtualRouter.START_EPOCH_MILLIS + 4_999, 0);

  private static final List<Room> FOUR =
      List.of(new Room("w1", 10), new Room("w2", 20), new Room("w3", 30), new Room("w4", 40));

  private final CapacityReservations reservations = new CapacityReservations();

  @Test
  void theWorkerThatHasRoomSoonestIsHeldOnceARequestHasWaitedLong() {
    // Then
    assertThat(reserve(request("a"), FOUR, EARLY)).isEmpty();
    assertThat(reserve(request("a"), FOUR, LATE)).contains("w1");
  }

  @Test
  void halfOfTheWorkersAreHeldAtMost() {
    // Then
    assertThat(reserve(request("a"), FOUR, LATE)).contains("w1");
    assertThat(reserve(request("b"), FOUR, LATE)).contains("w2");
    assertThat(reserve(request("c"), FOUR, LATE)).isEmpty();
  }

  @Test
  void onlyWhereNoneIsLeftNothingButAReservationIsMissing() {
    // Given
    reserve(request("a"), FOUR, LATE);
    assertThat(reservations.reserve(request("b"), () -> FOUR, LATE))
        .isEqualTo(CapacityAnswer.RESERVED);

    // Then
    assertThat(reservations.reserve(request("c"), () -> FOUR, LATE))
        .isEqualTo(CapacityAnswer.NONE_LEFT);
    assertThat(reservations.reserve(request("c"), () -> FOUR.subList(0, 1), LATE))
        .isEqualTo(CapacityAnswer.NONE_LEFT);
    assertThat(reservations.reserve(request("c"), () -> FOUR, EARLY))
        .isEqualTo(CapacityAnswer.NOT_DUE);
    assertThat(reservations.reserve(request("c"), () -> List.of(new Room("w4", 0)), LATE))
        .isEqualTo(CapacityAnswer.NOT_DUE);
    assertThat(reservations.reserve(request("c"), List::of, LATE))
        .isEqualTo(CapacityAnswer.NOT_DUE);
  }

  @Test
  void aHigherPriorityTakesAHoldOverWhereNoMoreAreAllowed() {
    // Given
    reserve(request("bulk", Priority.BULK), FOUR, LATE);
    reserve(request("a"), FOUR, LATE);

    // Then
    assertThat(reserve(request("urgent", Priority.URGENT), FOUR, LATE)).contains("w1");
    assertThat(reservations.workerFor("bulk")).isEmpty();
  }

  @Test
  void aRequestHoldsOneWorkerOnly() {
    // Given
    reserve(request("a"), FOUR, LATE);

    // When
    reserve(request("a"), FOUR.reversed(), LATE);

    // Then
    assertThat(reservations.size()).isEqualTo(1);
    assertThat(reservations.workerFor("a")).contains("w4");
  }

  @Test
  void nothingIsHeldWhereAWorkerHasRoomInItsMemory() {
    // Then
    List<Room> able = List.of(new Room("w1", 0), new Room("w2", 9));
    assertThat(reserve(request("a"), able, LATE)).isEmpty();
  }

  @Test
  void aHoldKeepsOffAllButItsRequestAndHigherPriorities() {
    // Given
    reserve(request("a"), FOUR, LATE);

    // Then
    assertThat(reservations.isReservedForOther(request("a"), "w1")).isFalse();
    assertThat(reservations.isReservedForOther(request("b"), "w1")).isTrue();
    assertThat(reservations.isReservedForOther(request("b"), "w2")).isFalse();
    assertThat(reservations.isReservedForOther(request("bulk", Priority.BULK), "w1")).isTrue();
    assertThat(reservations.isReservedForOther(request("urgent", Priority.URGENT), "w1")).isFalse();
  }

  /** Returns the worker that is reserved for the request then. */
  private Optional<String> reserve(RequestMetadata metadata, List<Room> able, TimePoint now) {
    var _ = reservations.reserve(metadata, () -> able, now);
    return reservations.workerFor(metadata.requestId());
  }

  private static RequestMetadata request(String id) {
    return request(id, Priority.INTERACTIVE);
  }

  private static RequestMetadata request(String id, Priority priority) {
    return new TestRequest(id).priority(priority).metadata();
  }
}
