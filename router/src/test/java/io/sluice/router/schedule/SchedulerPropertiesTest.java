package io.sluice.router.schedule;

import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

/** Whatever happens, in whatever order: what always holds of two tasks of one router. */
@Tag("slow")
class SchedulerPropertiesTest {

  @Provide
  Arbitrary<List<RandomEvent>> histories() {
    return Combinators.combine(
            Arbitraries.of(RandomEvent.Kind.class),
            Arbitraries.integers().between(0, 1_000),
            Arbitraries.integers().between(0, 1_000))
        .as(RandomEvent::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(120);
  }

  @Property(tries = 400)
  void nothingIsLostDoubledOrLeaked(@ForAll("histories") List<RandomEvent> history) {
    RandomWorld world = new RandomWorld();
    for (RandomEvent event : history) {
      world.happen(event);
      // The tick after a freeze only finds out that there was one.
      world.router.pass(Duration.ofMillis(40));
      world.checkAlways();
    }
    world.letEverythingEnd();
    world.checkAtTheEnd();
  }
}
