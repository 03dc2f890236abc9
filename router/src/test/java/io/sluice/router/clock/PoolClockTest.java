package io.sluice.router.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PoolClockTest {
  private static final long START = 1_800_000_000_000L;
  private static final long HOUR = Duration.ofHours(1).toMillis();
  private static final TopicPartition LANE = new TopicPartition("sluice.requests.2k", 0);

  /** Negative, as monotonic clocks may be. */
  private long nanos = -TimeUnit.SECONDS.toNanos(77);

  private final long startNanos = nanos;
  private long wallAheadMillis;
  private final Clock wall =
      ((InstantSource) () -> Instant.ofEpochMilli(trueMillis() + wallAheadMillis))
          .withZone(ZoneOffset.UTC);

  @ParameterizedTest
  @ValueSource(longs = {-7_200_000, -120_000, 0, 120_000, 7_200_000})
  void aWallClockThatIsOffChangesNothing(long offMillis) {
    wallAheadMillis = offMillis;
    PoolClock clock = new PoolClock(() -> nanos, wall);

    hear(clock, 0, 0, 0);
    pass(Duration.ofSeconds(1));
    hear(clock, 0, 0, 0);

    assertThat(clock.millis()).isCloseTo(trueMillis(), within(2L));
  }

  @ParameterizedTest
  @CsvSource({"0, 2", "0, -2", "1, 2", "1, -2", "2, 2", "2, -2"})
  void oneBrokerOfThreeThatIsOffChangesNothingEvenWithAWallClockThatIsOff(int broker, long hours) {
    wallAheadMillis = 120_000;
    PoolClock clock = new PoolClock(() -> nanos, wall);
    long[] ahead = new long[3];
    ahead[broker] = hours * HOUR;

    for (int round = 0; round < 3; round++) {
      hear(clock, ahead);
      assertThat(clock.millis()).isCloseTo(trueMillis(), within(2L));
      pass(Duration.ofSeconds(1));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void aBrokersClockThatIsSetChangesNothing(int brokers) {
    PoolClock clock = new PoolClock(() -> nanos, wall);
    hear(clock, new long[brokers]);

    for (long step : new long[] {2 * HOUR, -2 * HOUR, 0, 90_000}) {
      pass(Duration.ofSeconds(1));
      long[] ahead = new long[brokers];
      ahead[0] = step;
      hear(clock, ahead);
      assertThat(clock.millis()).isCloseTo(trueMillis(), within(2L));
    }
  }

  @Test
  void aWallClockThatIsSetChangesNothing() {
    PoolClock clock = new PoolClock(() -> nanos, wall);
    hear(clock, 0);

    for (long step : new long[] {2 * HOUR, -2 * HOUR, 0, 120_000}) {
      wallAheadMillis = step;
      pass(Duration.ofSeconds(1));
      hear(clock, 0);
      assertThat(clock.millis()).isCloseTo(trueMillis(), within(2L));
    }
  }

  @Test
  void aMachineThatWasSuspendedGoesByTheOthersAgain() {
    PoolClock clock = new PoolClock(() -> nanos, wall);
    hear(clock, 0);

    // The monotonic clock stood still for an hour; everybody else's did not.
    wallAheadMillis = HOUR;
    hear(clock, HOUR);

    assertThat(clock.millis()).isCloseTo(trueMillis() + HOUR, within(2L));
  }

  @Test
  void clocksThatDriftApartSlowlyAreFollowed() {
    wallAheadMillis = -120_000;
    PoolClock clock = new PoolClock(() -> nanos, wall);

    for (int second = 0; second < 3_600; second++) {
      hear(clock, second);
      pass(Duration.ofSeconds(1));
    }

    assertThat(clock.millis()).isCloseTo(trueMillis() + 3_599, within(10L));
  }

  @Test
  void aRoundTripThatTookLongDoesNotBlurWhatIsKnown() {
    PoolClock clock = new PoolClock(() -> nanos, wall);
    hear(clock, 0);
    long sent = nanos;
    long appended = trueMillis();
    pass(Duration.ofMillis(900));

    clock.appended(0, appended, sent, nanos);

    assertThat(clock.millis()).isCloseTo(trueMillis(), within(2L));
  }

  @Test
  void roundTripsThatTakeLongForMinutesBlurNothing() {
    PoolClock clock = new PoolClock(() -> nanos, wall);
    hear(clock, 0);

    for (int second = 0; second < 120; second++) {
      long sent = nanos;
      pass(Duration.ofMillis(900));
      clock.appended(0, trueMillis(), sent, nanos);
      pass(Duration.ofMillis(100));

      assertThat(clock.millis()).isCloseTo(trueMillis(), within(62L));
    }
  }

  @Test
  void manyVagueReadingsAreAsGoodAsWhatTheyHaveInCommon() {
    PoolClock clock = new PoolClock(() -> nanos, wall);

    for (long before : new long[] {0, 100, 200, 300, 400}) {
      long sent = nanos;
      pass(Duration.ofMillis(before));
      long appended = trueMillis();
      pass(Duration.ofMillis(400 - before));
      clock.appended(0, appended, sent, nanos);
    }

    assertThat(clock.known(Duration.ofMillis(5))).isEqualTo(1);
    assertThat(clock.millis()).isCloseTo(trueMillis(), within(5L));
  }

  @Test
  void aFirstReadingThatTookLongIsNotGoodEnoughToBegin() {
    PoolClock clock = new PoolClock(() -> nanos, wall);
    long sent = nanos;
    pass(Duration.ofMillis(540));
    clock.appended(0, trueMillis(), sent, nanos);

    assertThat(clock.isKnown()).isTrue();
    assertThat(clock.known(Duration.ofMillis(20))).isZero();

    hear(clock, 0);

    assertThat(clock.known(Duration.ofMillis(20))).isEqualTo(1);
    assertThat(clock.millis()).isCloseTo(trueMillis(), within(2L));
  }

  @Test
  void anAgeIsTheDistanceToTheLeadersOwnClock() {
    PoolClock clock = new PoolClock(() -> nanos, wall);
    clock.lead(Map.of(LANE, 1));
    hear(clock, 0, 2 * HOUR, 0);
    long appended = trueMillis() + 2 * HOUR;
    long then = trueMillis();
    pass(Duration.ofSeconds(40));

    assertThat(clock.appendedAt(LANE, appended)).isCloseTo(then, within(3L));
    assertThat(clock.appendedAt(LANE, appended + HOUR)).isEqualTo(clock.millis());
  }

  @ParameterizedTest
  @ValueSource(longs = {-5, -1, 2})
  void whatALeaderStampedBeforeAndWhileItsClockWasOffHasItsAge(long hours) {
    PoolClock clock = new PoolClock(() -> nanos, wall);
    clock.lead(Map.of(LANE, 1));
    hearFor(60, clock, 0, 0, 0);
    long before = trueMillis();
    hearFor(10, clock, 0, hours * HOUR, 0);
    long meanwhile = trueMillis();

    // While the clock is off
    hearFor(5, clock, 0, hours * HOUR, 0);
    assertThat(clock.appendedAt(LANE, before)).isCloseTo(before, within(3L));
    assertThat(clock.appendedAt(LANE, meanwhile + hours * HOUR)).isCloseTo(meanwhile, within(3L));

    // After it was set back
    hearFor(30, clock, 0, 0, 0);
    assertThat(clock.appendedAt(LANE, before)).isCloseTo(before, within(3L));
    assertThat(clock.appendedAt(LANE, meanwhile + hours * HOUR)).isCloseTo(meanwhile, within(3L));
    assertThat(clock.appendedAt(LANE, trueMillis())).isCloseTo(trueMillis(), within(3L));
  }

  @Test
  void whatWasAppendedBeforeThisMachineWasSuspendedIsOlderByThatTime() {
    PoolClock clock = new PoolClock(() -> nanos, wall);
    clock.lead(Map.of(LANE, 1));
    hearFor(10, clock, 0, 0, 0);
    long before = trueMillis();

    // The monotonic clock stood still for an hour; everybody else's did not.
    wallAheadMillis = HOUR;
    hearFor(3, clock, HOUR, HOUR, HOUR);

    assertThat(clock.millis()).isCloseTo(trueMillis() + HOUR, within(3L));
    assertThat(clock.appendedAt(LANE, before)).isCloseTo(before, within(3L));
  }

  @Test
  void aLeaderWhoseClockWasOffBeforeMakesWhatAnotherStampedNoOlder() {
    PoolClock clock = new PoolClock(() -> nanos, wall);
    hearFor(30, clock, 0, 2 * HOUR, 0);
    long stampedByAnother = trueMillis();
    hearFor(30, clock, 0, 0, 0);

    // When it leads
    clock.lead(Map.of(LANE, 1));

    // Then
    assertThat(clock.appendedAt(LANE, stampedByAnother)).isCloseTo(stampedByAnother, within(3L));
    assertThat(clock.appendedAt(LANE, trueMillis())).isCloseTo(trueMillis(), within(3L));
    assertThat(clock.appendedAt(LANE, trueMillis() + 5)).isCloseTo(trueMillis(), within(3L));
  }

  private void hearFor(int seconds, PoolClock clock, long... aheadMillis) {
    for (int second = 0; second < seconds; second++) {
      pass(Duration.ofSeconds(1));
      hear(clock, aheadMillis);
    }
  }

  private long trueMillis() {
    return START + Math.floorDiv(nanos - startNanos, 1_000_000);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  /** Every broker acknowledges a record, after a millisecond. */
  private void hear(PoolClock clock, long... aheadMillis) {
    long sent = nanos;
    long now = trueMillis();
    nanos += TimeUnit.MILLISECONDS.toNanos(1);
    for (int broker = 0; broker < aheadMillis.length; broker++) {
      clock.appended(broker, now + aheadMillis[broker], sent, nanos);
    }
  }
}
