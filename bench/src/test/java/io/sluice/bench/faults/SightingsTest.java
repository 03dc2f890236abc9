package io.sluice.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SightingsTest {
  @Test
  void equalSightingsAreCountedWithTheirMedianTime() {
    var sightings = new Sightings();
    for (int seconds : new int[] {3, 1, 2}) {
      sightings.add(Aspect.STREAMS, new Sighting("cut", Duration.ofSeconds(seconds)));
    }
    sightings.add(Aspect.STREAMS, new Sighting("open", Duration.ZERO));

    assertThat(sightings.kinds(Aspect.STREAMS)).containsExactly("cut", "open");
    assertThat(sightings.shown(Aspect.STREAMS)).isEqualTo("3 cut after 2000 ms; 1 open");
    assertThat(sightings.shown(Aspect.WHOLE)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0, 1000, true", "0, 1001, false", "3000, 6000, true", "3000, 6001, false"})
  void timesAreAlikeWithinASecondOrAFactorOfTwo(long one, long other, boolean isAlike) {
    assertThat(Sightings.isAlike(Duration.ofMillis(one), Duration.ofMillis(other)))
        .isEqualTo(isAlike);
    assertThat(Sightings.isAlike(Duration.ofMillis(other), Duration.ofMillis(one)))
        .isEqualTo(isAlike);
  }

  @Test
  void theSimulatorIsHeldToWhatTheEngineDoesAndToWhen() {
    var engine = new Sightings();
    engine.add(Aspect.STREAMS, new Sighting("cut", Duration.ofMillis(80)));
    engine.add(Aspect.STREAMS, new Sighting("open", Duration.ZERO));

    assertThat(Verdict.of(Aspect.STREAMS, engine, one("cut", 900))).isEqualTo(Verdict.SAME);
    assertThat(Verdict.of(Aspect.STREAMS, engine, one("open", 0))).isEqualTo(Verdict.SAME);
    assertThat(Verdict.of(Aspect.STREAMS, engine, one("cut", 5_000))).isEqualTo(Verdict.OTHER_TIME);
    assertThat(Verdict.of(Aspect.STREAMS, engine, one("whole", 80))).isEqualTo(Verdict.DIFFERENT);
  }

  @Test
  void howLongManyAnswersTakeIsNotCompared() {
    var engine = new Sightings();
    engine.add(Aspect.ANSWERS, new Sighting("whole", Duration.ofSeconds(60)));
    var simulator = new Sightings();
    simulator.add(Aspect.ANSWERS, new Sighting("whole", Duration.ofSeconds(1)));

    assertThat(Verdict.of(Aspect.ANSWERS, engine, simulator)).isEqualTo(Verdict.SAME);
  }

  private static Sightings one(String what, long millis) {
    var sightings = new Sightings();
    sightings.add(Aspect.STREAMS, new Sighting(what, Duration.ofMillis(millis)));
    return sightings;
  }
}
