package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class EarlyCancelsTest {
  private static final int PARTITION = 3;
  private static final Now START = new Now(1_800_000_000_000L, 0);

  private final InMemoryRequestStore store = new InMemoryRequestStore();
  private final CancelledIds ids = new CancelledIds();
  private final EarlyCancels cancels = new EarlyCancels(PARTITION, store, ids);

  @Test
  void aCancelCountsOnce() {
    // Given
    cancels.add("r", OptionalLong.empty(), START);

    // Then
    assertThat(cancels.take("r", START)).isTrue();
    assertThat(cancels.take("r", START)).isFalse();
  }

  @Test
  void aCancelIsKeptUntilTheTimeItCarries() {
    // Given
    long until = after(Duration.ofHours(3)).epochMillis();
    cancels.add("in time", OptionalLong.of(until), START);
    cancels.add("late", OptionalLong.of(until), START);

    // Then
    assertThat(cancels.take("in time", new Now(until, 0))).isTrue();
    assertThat(cancels.take("late", new Now(until + 1, 0))).isFalse();
  }

  @Test
  void aCancelThatCarriesNoTimeIsKeptForAnHour() {
    // Given
    cancels.add("in time", OptionalLong.empty(), START);
    cancels.add("late", OptionalLong.empty(), START);

    // Then
    assertThat(cancels.take("in time", after(Duration.ofHours(1)))).isTrue();
    assertThat(cancels.take("late", after(Duration.ofHours(1).plusMillis(1)))).isFalse();
  }

  @Test
  void noCancelIsKeptForMoreThanADay() {
    // Given
    cancels.add("r", OptionalLong.of(Long.MAX_VALUE), START);

    // Then
    assertThat(cancels.take("r", after(Duration.ofHours(24).plusMillis(1)))).isFalse();
  }

  @Test
  void whatIsTooOldTakesUpNoMemory() {
    // Given
    for (int i = 0; i < 100; i++) {
      cancels.add("r" + i, OptionalLong.empty(), START);
    }

    cancels.add("later", OptionalLong.empty(), after(Duration.ofHours(2)));

    // When
    cancels.expire(after(Duration.ofHours(2)));

    // Then
    assertThat(cancels.size()).isOne();
    assertThat(store.find("r0")).isEmpty();
    assertThat(store.find("later")).isPresent();
  }

  @Test
  void ofTooManyTheNewestAreKept() {
    // When
    for (int i = 0; i <= EarlyCancels.MOST; i++) {
      cancels.add("r" + i, OptionalLong.empty(), START);
    }

    // Then
    assertThat(cancels.size()).isEqualTo(EarlyCancels.MOST);
    assertThat(store.find("r0")).isEmpty();
    assertThat(cancels.take("r0", START)).isFalse();
    assertThat(cancels.take("r1", START)).isTrue();
  }

  @Test
  void ofTooManyThoseThatAreKeptLongestStay() {
    // Given
    long soon = after(Duration.ofMinutes(10)).epochMillis();
    cancels.add("its own", OptionalLong.of(after(Duration.ofHours(24)).epochMillis()), START);

    // When
    for (int i = 0; i < 2 * EarlyCancels.MOST; i++) {
      cancels.add("copy" + i, OptionalLong.of(soon), START);
    }

    // Then
    assertThat(cancels.size()).isEqualTo(EarlyCancels.MOST);
    assertThat(cancels.take("its own", START)).isTrue();
  }

  @Test
  void aRepeatedCancelIsKeptUntilTheTimeThatTheLastCarries() {
    // Given
    cancels.add("r", OptionalLong.of(after(Duration.ofHours(3)).epochMillis()), START);
    cancels.add("r", OptionalLong.of(after(Duration.ofMinutes(1)).epochMillis()), START);

    // Then
    assertThat(cancels.size()).isOne();
    assertThat(cancels.take("r", after(Duration.ofMinutes(2)))).isFalse();
  }

  @Test
  void whoFeedsBulkKnowsOfACancelOfItsPartitionUntilTheRequestComes() {
    // Given
    cancels.add("r", OptionalLong.empty(), START);
    cancels.add("r", OptionalLong.empty(), START);
    long once = ids.added();
    boolean before = isKnown("r");

    // When
    cancels.take("r", START);

    // Then
    assertThat(once).isOne();
    assertThat(before).isTrue();
    assertThat(ids.contains(PARTITION + 1, CancelledIds.hash("r"))).isFalse();
    assertThat(isKnown("r")).isFalse();
  }

  @Test
  void whoFeedsBulkKnowsOfNoCancelThatIsForgotten() {
    // Given
    for (int i = 0; i <= EarlyCancels.MOST; i++) {
      cancels.add("r" + i, OptionalLong.empty(), START);
    }
    boolean isFirstGivenUp = !isKnown("r0");
    boolean isSecondKept = isKnown("r1");

    // When
    cancels.expire(after(Duration.ofHours(2)));

    // Then
    assertThat(isFirstGivenUp).isTrue();
    assertThat(isSecondKept).isTrue();
    assertThat(isKnown("r1")).isFalse();
  }

  @Test
  void whoFeedsBulkKnowsOfACancelWhileAnyTaskOfItsPartitionDoes() {
    // Given
    cancels.add("r", OptionalLong.empty(), START);
    var next = new EarlyCancels(PARTITION, store, ids);
    store.forEach(stored -> next.restore((EarlyCancel) stored));

    // When the task has begun on another thread before it is closed on this one
    cancels.close();
    boolean afterTheFirst = isKnown("r");
    next.close();
    next.close();

    // Then
    assertThat(afterTheFirst).isTrue();
    assertThat(isKnown("r")).isFalse();
    assertThat(store.find("r")).isPresent();
  }

  private boolean isKnown(String requestId) {
    return ids.contains(PARTITION, CancelledIds.hash(requestId));
  }

  private static Now after(Duration time) {
    return new Now(START.epochMillis() + time.toMillis(), time.toNanos());
  }
}
