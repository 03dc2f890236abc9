package io.sluice.router.schedule;

import io.sluice.router.schedule.LoggedWorld.Event;
import io.sluice.router.schedule.LoggedWorld.Kind;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;

/** Whatever happens between a router and its workers: what a caller reads. */
@Tag("slow")
class AnswersPropertiesTest {

  @Provide
  Arbitrary<List<Event>> histories() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            Tuple.of(3, Kind.REQUEST),
            Tuple.of(1, Kind.REPEAT),
            Tuple.of(14, Kind.WORKER_STEP),
            Tuple.of(8, Kind.OUTCOME_ARRIVES),
            Tuple.of(2, Kind.OUTCOME_IS_LOST),
            Tuple.of(2, Kind.OUTCOME_COMES_AGAIN),
            Tuple.of(2, Kind.REVOKE_ARRIVES),
            Tuple.of(1, Kind.WORKER_DIES),
            Tuple.of(1, Kind.CANCEL),
            Tuple.of(1, Kind.EXTEND),
            Tuple.of(2, Kind.END_IS_WRITTEN),
            Tuple.of(1, Kind.END_IS_NOT_WRITTEN),
            Tuple.of(3, Kind.TIME),
            Tuple.of(1, Kind.FREEZE),
            Tuple.of(3, Kind.COMMIT),
            Tuple.of(1, Kind.GIVEN_TWICE),
            Tuple.of(1, Kind.ASSIGNMENT_IS_NOT_WRITTEN),
            Tuple.of(2, Kind.CRASH));
    return Combinators.combine(
            kinds, Arbitraries.integers().between(0, 1_000), Arbitraries.integers().between(0, 999))
        .as(Event::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(150);
  }

  @Property(tries = 400, seed = "20")
  void everyRequestHasOneEndInTheLogAndNothingIsHeldForItAfterwards(
      @ForAll("histories") List<Event> history) {
    LoggedWorld world = new LoggedWorld();
    history.forEach(world::happen);
    world.letEverythingEnd();
    world.checkAtTheEnd();
  }
}
