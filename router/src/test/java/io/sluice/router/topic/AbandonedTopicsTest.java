package io.sluice.router.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.TestWorker;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AbandonedTopicsTest {
  private static final String TOPIC = "sluice.worker.w1";
  private final Set<String> topics = new HashSet<>(Set.of(TOPIC, "sluice.worker.w2"));
  private final Map<String, WorkerView> workers = new HashMap<>();
  private final List<String> deleted = new ArrayList<>();
  private boolean isFresh = true;
  private boolean isOurs = true;
  private long nanos = -7_000_000_000L;
  private final AbandonedTopics keeper =
      new AbandonedTopics(
          () -> isOurs,
          () -> new FleetSnapshot(workers, isFresh),
          () -> topics,
          deleted::addAll,
          () -> nanos,
          () -> {});

  AbandonedTopicsTest() {
    join("w2");
  }

  @Test
  void theTopicOfAWorkerThatWasGoneForAnHourIsDeletedAndNoOther() {
    // When
    pass(AbandonedTopics.KEPT);
    boolean isEarly = !deleted.isEmpty();
    pass(AbandonedTopics.INTERVAL);

    // Then
    assertThat(isEarly).isFalse();
    assertThat(deleted).containsExactly(TOPIC);
  }

  @Test
  void aWorkerThatIsSeenInBetweenKeepsItsTopic() {
    // Given
    pass(AbandonedTopics.KEPT);
    join("w1");
    pass(AbandonedTopics.INTERVAL);
    workers.remove("w1");

    // When
    pass(AbandonedTopics.KEPT);

    // Then
    assertThat(deleted).isEmpty();
  }

  @Test
  void whileTheRegistryIsAwayNoWorkerIsGone() {
    // Given
    pass(Duration.ofMinutes(59));
    isFresh = false;
    pass(AbandonedTopics.INTERVAL);
    isFresh = true;

    // When
    pass(AbandonedTopics.KEPT);

    // Then
    assertThat(deleted).isEmpty();
  }

  @Test
  void onlyTheRouterThatOwnsThePartitionDeletes() {
    // Given
    isOurs = false;

    // When
    pass(AbandonedTopics.KEPT.multipliedBy(2));

    // Then
    assertThat(deleted).isEmpty();
  }

  @Test
  void aRouterThatSleptHasNotSeenThatAWorkerWasGone() {
    // Given
    pass(AbandonedTopics.INTERVAL);
    nanos += AbandonedTopics.KEPT.toNanos();

    // When
    pass(AbandonedTopics.INTERVAL.multipliedBy(2));

    // Then
    assertThat(deleted).isEmpty();
  }

  private void join(String worker) {
    workers.put(worker, new WorkerView(new TestWorker(worker).snapshot(), nanos));
  }

  private void pass(Duration duration) {
    for (long looks = 0; looks < duration.dividedBy(AbandonedTopics.INTERVAL); looks++) {
      nanos += AbandonedTopics.INTERVAL.toNanos();
      keeper.deleteDue();
    }
  }
}
