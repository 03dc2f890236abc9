package io.sluice.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SightingsTest {
  @Test
  void equal_sightings_are_counted_with_their_median_time() {
    var sightings = new Sightings();
    for (int seconds : new int[] {3, 1, 2}) {
      sightings.add(Aspect.STREAMS, new Sighting("cut", Duration.ofSeconds(seconds)));
    }
    sightings.add(Aspect.STREAMS, new Sighting("open", Duration.ZERO));

    assertThat(sightings.kinds(Aspect.STREAMS)).containsExactly("cut", "open");
    assertThat(sightings.shown(Aspect.STREAMS)).isEqualTo("3 cut after 2000 ms; 1 open");
    assertThat(sightings.shown(Aspect.WHOLE)).isEmpty();
  }
}
