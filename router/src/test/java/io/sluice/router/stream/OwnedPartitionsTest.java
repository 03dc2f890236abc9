package io.sluice.router.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnedPartitionsTest {
  private final List<Integer> started = new ArrayList<>();
  private final OwnedPartitions partitions = new OwnedPartitions(started::add);

  @Test
  void aPartitionIsOwnedWhileItsTaskRuns() {
    partitions.started(3);
    partitions.started(4);
    partitions.stopped(3);

    assertThat(partitions.current()).containsExactly(4);
    assertThat(started).containsExactly(3, 4);
  }

  @Test
  void aPartitionStaysWhereItsNextTaskBeginsBeforeTheLastOneIsClosed() {
    partitions.started(4);

    partitions.started(4);
    partitions.stopped(4);

    assertThat(partitions.current()).containsExactly(4);
    partitions.stopped(4);
    assertThat(partitions.current()).isEmpty();
  }

  @Test
  void thePartitionsOfAllConsumersCountUntilTheirTasksHaveStarted() {
    partitions.assigned("first", 3);
    partitions.assigned("second", 1);
    partitions.started(0);
    assertThat(partitions.startedShare()).isEqualTo(0.25);

    partitions.closed("first");

    assertThat(partitions.startedShare()).isEqualTo(1);
  }

  @Test
  void partitionsAreIdleOnceAllAssignedOnesSaySo() {
    // Given
    partitions.assigned("consumer", 2);
    partitions.started(0);
    partitions.idle(0, true);
    assertThat(partitions.areIdle()).isFalse();
    partitions.started(1);
    assertThat(partitions.areIdle()).isFalse();

    // When
    partitions.idle(1, true);

    // Then
    assertThat(partitions.areIdle()).isTrue();
    partitions.idle(0, false);
    assertThat(partitions.areIdle()).isFalse();
  }

  @Test
  void aPartitionThatCameBackIsNotIdleBeforeItSaysSo() {
    partitions.assigned("consumer", 1);
    partitions.started(0);
    partitions.idle(0, true);

    partitions.stopped(0);
    partitions.started(0);

    assertThat(partitions.areIdle()).isFalse();
  }
}
