package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import io.sluice.router.bulk.BulkAllowance;
import io.sluice.router.bulk.BulkOpenings;
import io.sluice.router.queue.BulkSize;
import io.sluice.router.queue.RequestKind;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many bulk requests of each kind may enter when there are other routers. */
class BulkAllowanceTest {
  /** The slots for bulk, of the ten that a worker has. */
  private static final int FOR_BULK = 8;

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void bulkOfAModelWithoutWorkersKeepsNoOtherModelsBulkOut() {
    // Given
    router.join(new TestWorker("w1").slots(10));
    for (int number = 0; number < 16; number++) {
      task.request(bulk("stuck-" + number).model("absent"));
    }

    // When
    BulkOpenings openings = allowance(router, 1).openings();

    // Then
    assertThat(entering(openings, "absent")).isZero();
    assertThat(entering(openings, "llama")).isEqualTo(FOR_BULK);
  }

  @Test
  void whatWaitsOfAKindAlreadyTakesItsRoom() {
    // Given
    router.join(new TestWorker("w1").slots(10));
    router.join(new TestWorker("w2").slots(10).models("other"));
    entering("waiting");

    // When
    BulkOpenings openings = allowance(router, 1).openings();

    // Then
    assertThat(entering(openings, "llama")).isEqualTo(FOR_BULK - 1);
    assertThat(entering(openings, "other")).isEqualTo(FOR_BULK);
  }

  @Test
  void whatIsOnItsWayIntoALaneIsCountedUntilItHasCome() {
    // Given
    router.join(new TestWorker("w1").slots(10).draining(true));
    for (int number = 0; number < 3; number++) {
      entering("r-" + number);
    }

    // When
    task.request(bulk("r-0"));

    // Then: counted once, as it waits now
    assertThat(waitingOrEntering()).containsExactly(3);
    router.pass(Duration.ofMinutes(2));
    entering("later");
    assertThat(waitingOrEntering()).containsExactly(2);
  }

  @Test
  void whatNeverArrivesIsForgottenAlsoIfItLeftNoRoomForMore() {
    // Given a partition that moved to another router behind what was put into it
    router.join(new TestWorker("w1").slots(10));
    for (int number = 0; number < FOR_BULK; number++) {
      entering("r-" + number);
    }
    assertThat(entering(allowance(router, 1).openings(), "llama")).isZero();

    // When
    router.pass(Duration.ofMinutes(2));

    // Then
    assertThat(entering(allowance(router, 1).openings(), "llama")).isEqualTo(FOR_BULK);
  }

  @Test
  void aWorkerOfTwoModelsGivesEachOfItsSlotsOnce() {
    // Given
    router.join(new TestWorker("w1").slots(10).models("llama", "adapter"));
    router.join(new TestWorker("w2").slots(10).models("llama"));

    // When
    BulkOpenings openings = allowance(router, 1).openings();

    // Then
    assertThat(entering(openings, "adapter")).isEqualTo(FOR_BULK);
    assertThat(entering(openings, "llama")).isEqualTo(FOR_BULK);
  }

  @Test
  void aRequestThatIsTooLongForAWorkerDoesNotTakeItsRoom() {
    // Given
    router.join(new TestWorker("w1").slots(10).maxModelLen(1_000));

    // When
    BulkOpenings openings = allowance(router, 1).openings();

    // Then
    assertThat(openings.tryTake(RequestKind.of(bulk("r").metadata()), 1_001)).isFalse();
    assertThat(entering(openings, "llama")).isEqualTo(FOR_BULK);
  }

  @Test
  void whatWaitsForALongerWorkerTakesNoRoomOfShorterOnes() {
    // Given two that the only worker cannot take, and one that it can
    router.join(new TestWorker("w1").slots(10).maxModelLen(1_024));
    for (String id : List.of("long-1", "long-2")) {
      RequestKind kind = RequestKind.of(bulk(id).metadata());
      router.parts().backlog().entering(id, new BulkSize(kind, 1_500), router.now().nanos());
    }
    entering("short");

    // When
    BulkOpenings alone = allowance(router, 1).openings();
    router.join(new TestWorker("w2").slots(10).maxModelLen(2_048));
    BulkOpenings both = allowance(router, 1).openings();

    // Then
    assertThat(entering(alone, "llama")).isEqualTo(FOR_BULK - 1);
    assertThat(entering(both, "llama")).isEqualTo(2 * FOR_BULK - 3);
  }

  @Test
  void severalRoutersTogetherLetInWhatThereIsRoomForAndNoMultipleOfIt() {
    // Given
    List<VirtualRouter> routers =
        IntStream.range(0, 4).mapToObj(number -> new VirtualRouter("r" + number, number)).toList();
    routers.forEach(each -> each.join(new TestWorker("w1").slots(10)));

    // When: each before it has heard of the others
    int entered =
        routers.stream()
            .mapToInt(each -> entering(allowance(each, 0.25).openings(), "llama"))
            .sum();

    // Then
    assertThat(entered).isEqualTo(FOR_BULK);
  }

  @Test
  void aRouterThatHasWorkAloneGetsAllOfTheRoomAPartAtATime() {
    // Given
    router.join(new TestWorker("w1").slots(10));
    BulkAllowance allowance = allowance(router, 0.25);
    int entered = 0;

    // When
    for (int round = 0; round < 8; round++) {
      BulkOpenings openings = allowance.openings();
      while (openings.tryTake(RequestKind.of(bulk("r").metadata()), 200)) {
        task.request(bulk("r-" + entered++));
      }
    }

    // Then
    assertThat(entered).isEqualTo(FOR_BULK);
    assertThat(task.effects.assigned).hasSize(FOR_BULK);
  }

  private void entering(String id) {
    RequestKind kind = RequestKind.of(bulk(id).metadata());
    router.parts().backlog().entering(id, new BulkSize(kind, 200), router.now().nanos());
  }

  private Collection<Integer> waitingOrEntering() {
    return router.parts().backlog().bulkBySize(router.now().nanos()).values();
  }

  private static BulkAllowance allowance(VirtualRouter router, double share) {
    return new BulkAllowance(
        router::fleet,
        router.parts().ledger(),
        router.parts().backlog(),
        () -> share,
        () -> router.now().nanos());
  }

  private static int entering(BulkOpenings openings, String model) {
    RequestKind kind = RequestKind.of(bulk("any").model(model).metadata());
    int entered = 0;
    while (openings.tryTake(kind, 200)) {
      entered++;
    }
    return entered;
  }

  private static TestRequest bulk(String id) {
    return new TestRequest(id).priority(Priority.BULK).deadlineMillis(86_400_000);
  }
}
