package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.Priority;
import io.sluice.router.request.EarlyControl;
import io.sluice.router.request.EarlyControlIds;
import io.sluice.router.request.StoredRequest;
import io.sluice.router.request.TimePoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class EarlyControlsTest {
  private static final int PARTITION = 3;
  private static final TimePoint START = new TimePoint(1_800_000_000_000L, 0);

  private final InMemoryRequestStore store = new InMemoryRequestStore();
  private final EarlyControlIds ids = new EarlyControlIds();
  private final EarlyControls controls = new EarlyControls(PARTITION, store, ids);

  @Test
  void aCancelCountsOnce() {
    // Given
    controls.add(new Control.Cancel("r"), OptionalLong.empty(), START);

    // Then
    assertThat(controls.take("r", START)).isNotEmpty();
    assertThat(controls.take("r", START)).isEmpty();
  }

  @Test
  void aCancelIsKeptUntilTheTimeItCarries() {
    // Given
    long until = after(Duration.ofHours(3)).epochMillis();
    controls.add(new Control.Cancel("in time"), OptionalLong.of(until), START);
    controls.add(new Control.Cancel("late"), OptionalLong.of(until), START);

    // Then
    assertThat(controls.take("in time", new TimePoint(until, 0))).isNotEmpty();
    assertThat(controls.take("late", new TimePoint(until + 1, 0))).isEmpty();
  }

  @Test
  void aCancelThatCarriesNoTimeIsKeptForAnHour() {
    // Given
    controls.add(new Control.Cancel("in time"), OptionalLong.empty(), START);
    controls.add(new Control.Cancel("late"), OptionalLong.empty(), START);

    // Then
    assertThat(controls.take("in time", after(Duration.ofHours(1)))).isNotEmpty();
    assertThat(controls.take("late", after(Duration.ofHours(1).plusMillis(1)))).isEmpty();
  }

  @Test
  void noCancelIsKeptForMoreThanADay() {
    // Given
    controls.add(new Control.Cancel("r"), OptionalLong.of(Long.MAX_VALUE), START);

    // Then
    assertThat(controls.take("r", after(Duration.ofHours(24).plusMillis(1)))).isEmpty();
  }

  @Test
  void whatIsTooOldTakesUpNoMemory() {
    // Given
    for (int i = 0; i < 100; i++) {
      controls.add(new Control.Cancel("r" + i), OptionalLong.empty(), START);
    }

    controls.add(new Control.Cancel("later"), OptionalLong.empty(), after(Duration.ofHours(2)));

    // When
    controls.expire(after(Duration.ofHours(2)));

    // Then
    assertThat(stored()).isOne();
    assertThat(store.find("r0")).isEmpty();
    assertThat(store.find("later")).isPresent();
  }

  @Test
  void ofTooManyTheNewestAreKept() {
    // When
    for (int i = 0; i <= EarlyControls.MOST; i++) {
      controls.add(new Control.Cancel("r" + i), OptionalLong.empty(), START);
    }

    // Then
    assertThat(stored()).isEqualTo(EarlyControls.MOST);
    assertThat(store.find("r0")).isEmpty();
    assertThat(controls.take("r0", START)).isEmpty();
    assertThat(controls.take("r1", START)).isNotEmpty();
  }

  @Test
  void ofTooManyThoseThatAreKeptLongestStay() {
    // Given
    long soon = after(Duration.ofMinutes(10)).epochMillis();
    controls.add(
        new Control.Cancel("its own"),
        OptionalLong.of(after(Duration.ofHours(24)).epochMillis()),
        START);

    // When
    for (int i = 0; i < 2 * EarlyControls.MOST; i++) {
      controls.add(new Control.Cancel("copy" + i), OptionalLong.of(soon), START);
    }

    // Then
    assertThat(stored()).isEqualTo(EarlyControls.MOST);
    assertThat(controls.take("its own", START)).isNotEmpty();
  }

  @Test
  void aRepeatedCancelIsKeptUntilTheTimeThatTheLastCarries() {
    // Given
    controls.add(
        new Control.Cancel("r"), OptionalLong.of(after(Duration.ofHours(3)).epochMillis()), START);
    controls.add(
        new Control.Cancel("r"),
        OptionalLong.of(after(Duration.ofMinutes(1)).epochMillis()),
        START);

    // Then
    assertThat(stored()).isOne();
    assertThat(controls.take("r", after(Duration.ofMinutes(2)))).isEmpty();
  }

  @Test
  void whoFeedsBulkKnowsOfACancelOfItsPartitionUntilTheRequestComes() {
    // Given
    controls.add(new Control.Cancel("r"), OptionalLong.empty(), START);
    controls.add(new Control.Cancel("r"), OptionalLong.empty(), START);
    long once = ids.added();
    boolean before = isKnown("r");

    // When
    controls.take("r", START);

    // Then
    assertThat(once).isOne();
    assertThat(before).isTrue();
    assertThat(ids.isCancelled(PARTITION + 1, EarlyControlIds.hash("r"))).isFalse();
    assertThat(isKnown("r")).isFalse();
  }

  @Test
  void whoFeedsBulkKnowsOfNoCancelThatIsForgotten() {
    // Given
    for (int i = 0; i <= EarlyControls.MOST; i++) {
      controls.add(new Control.Cancel("r" + i), OptionalLong.empty(), START);
    }
    boolean isFirstGivenUp = !isKnown("r0");
    boolean isSecondKept = isKnown("r1");

    // When
    controls.expire(after(Duration.ofHours(2)));

    // Then
    assertThat(isFirstGivenUp).isTrue();
    assertThat(isSecondKept).isTrue();
    assertThat(isKnown("r1")).isFalse();
  }

  @Test
  void whoFeedsBulkKnowsOfACancelWhileAnyTaskOfItsPartitionDoes() {
    // Given
    controls.add(new Control.Cancel("r"), OptionalLong.empty(), START);
    var next = new EarlyControls(PARTITION, store, ids);
    store.forEach(stored -> next.restore((EarlyControl) stored));

    // When the task has begun on another thread before it is closed on this one
    controls.close();
    boolean afterTheFirst = isKnown("r");
    next.close();
    next.close();

    // Then
    assertThat(afterTheFirst).isTrue();
    assertThat(isKnown("r")).isFalse();
    assertThat(store.find("r")).isPresent();
  }

  @Test
  void ofEachKindTheLastWordCountsForAsLongAsItCarries() {
    // Given
    var extend = new Control.Extend("r", 2);
    var urgent = new Control.Reprioritise("r", Priority.URGENT);
    controls.add(urgent, OptionalLong.of(after(Duration.ofMinutes(1)).epochMillis()), START);
    controls.add(new Control.Extend("r", 1), OptionalLong.empty(), START);
    controls.add(extend, OptionalLong.empty(), START);
    var later = new EarlyControls(PARTITION, store, ids);
    store.forEach(stored -> later.restore((EarlyControl) stored));

    // Then
    assertThat(stored()).isOne();
    assertThat(controls.take("r", START)).containsExactly(urgent, extend);
    assertThat(later.take("r", after(Duration.ofMinutes(2)))).containsExactly(extend);
  }

  @Test
  void whoFeedsBulkKnowsAChangeFromACancel() {
    // When
    controls.add(new Control.Extend("r", 1), OptionalLong.empty(), START);
    boolean isAmended = ids.isAmended(PARTITION, EarlyControlIds.hash("r"));
    boolean isCancelledYet = isKnown("r");
    controls.add(new Control.Cancel("r"), OptionalLong.empty(), START);

    // Then
    assertThat(isAmended).isTrue();
    assertThat(isCancelledYet).isFalse();
    assertThat(isKnown("r")).isTrue();
    assertThat(ids.isAmended(PARTITION, EarlyControlIds.hash("r"))).isFalse();
    assertThat(ids.added()).isEqualTo(2);
  }

  private int stored() {
    List<StoredRequest> all = new ArrayList<>();
    store.forEach(all::add);
    return all.size();
  }

  private boolean isKnown(String requestId) {
    return ids.isCancelled(PARTITION, EarlyControlIds.hash(requestId));
  }

  private static TimePoint after(Duration time) {
    return new TimePoint(START.epochMillis() + time.toMillis(), time.toNanos());
  }
}
