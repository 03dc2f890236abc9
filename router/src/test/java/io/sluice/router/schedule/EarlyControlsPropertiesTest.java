package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.Priority;
import io.sluice.router.request.RequestMetadata;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** A control topic and a request topic have no common order. */
class EarlyControlsPropertiesTest {
  private static final String ID = "r";
  private static final long DEADLINE_MILLIS = 36_000_000;

  @Property(tries = 300)
  void whateverIsReadFirstTheRequestBecomesTheSame(
      @ForAll("controls") List<Control> controls, @ForAll Random random) {
    // Given
    VirtualTask requestFirst = new VirtualRouter().settledTask();
    VirtualTask mixed = new VirtualRouter().settledTask();
    int before = random.nextInt(controls.size() + 1);

    // When
    requestFirst.request(new TestRequest(ID).deadlineMillis(DEADLINE_MILLIS));
    controls.forEach(requestFirst::control);
    controls.subList(0, before).forEach(mixed::control);
    if (random.nextBoolean()) {
      mixed.begin();
    }
    mixed.request(new TestRequest(ID).deadlineMillis(DEADLINE_MILLIS));
    controls.subList(before, controls.size()).forEach(mixed::control);

    // Then
    assertThat(outcome(mixed)).isEqualTo(outcome(requestFirst));
  }

  /** Returns what it asks for, if it waits, or else how it ended. */
  private static List<Object> outcome(VirtualTask task) {
    List<Object> outcome = new ArrayList<>();
    if (task.stateName(ID).equals("pending")) {
      RequestMetadata metadata = task.store.get(ID).orElseThrow().metadata();
      Collections.addAll(outcome, metadata.deadlineEpochMillis(), metadata.priority());
    } else {
      outcome.addAll(task.effects.log);
    }
    return outcome;
  }

  /**
   * No deadline is near: it would end the request, or hurry bulk work, if that is there already.
   */
  @Provide
  Arbitrary<List<Control>> controls() {
    Arbitrary<Control> extend =
        Arbitraries.longs()
            .between(1, 200_000_000)
            .map(
                millis ->
                    new Control.Extend(
                        ID, VirtualRouter.START_EPOCH_MILLIS + DEADLINE_MILLIS + millis));
    Arbitrary<Control> change =
        Arbitraries.of(Priority.class).map(priority -> new Control.Reprioritise(ID, priority));
    return Arbitraries.frequencyOf(
            Tuple.of(4, extend),
            Tuple.of(4, change),
            Tuple.of(1, Arbitraries.just((Control) new Control.Cancel(ID))))
        .list()
        .ofMaxSize(6);
  }
}
