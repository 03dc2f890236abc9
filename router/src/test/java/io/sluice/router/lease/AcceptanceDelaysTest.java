package io.sluice.router.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.LeaseRef;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptanceDelaysTest {
  private final AcceptanceDelays delays = new AcceptanceDelays();

  /** Negative, as the monotonic clock may be; it passes zero in some tests. */
  private long nowMillis = -45_000;

  @Test
  void aWorkerOfWhichNothingIsKnownIsGivenTwoSeconds() {
    assertThat(limitMillis("w")).isEqualTo(2_000);
  }

  @ParameterizedTest
  @CsvSource({"10, 2000", "1000, 2000", "1001, 2002", "3000, 6000", "6000, 12000", "60000, 12000"})
  void aWorkerIsGivenTwiceItsDelayWithinBounds(long delayMillis, long limitMillis) {
    answered("w", delayMillis);

    assertThat(limitMillis("w")).isEqualTo(limitMillis);
  }

  @Test
  void theLongestDelayCounts() {
    answered("w", 500);
    answered("w", 3_000);
    answered("w", 100);

    assertThat(limitMillis("w")).isEqualTo(6_000);
  }

  @Test
  void onlyAWorkerThatIsSlowAloneIsGivenLonger() {
    answered("slow", 5_000);
    boolean wasGivenToOthers = limitMillis("new") > 2_000;
    answered("quick", 10);

    assertThat(wasGivenToOthers).isFalse();
    assertThat(limitMillis("slow")).isEqualTo(10_000);
    assertThat(limitMillis("quick")).isEqualTo(2_000);
    assertThat(limitMillis("new")).isEqualTo(2_000);
  }

  @Test
  void anotherLifeOfAWorkerBeginsWithoutAPast() {
    answered("w", 5_000);

    assertThat(delays.limitNanos(lease("w", "second"), nowNanos()))
        .isEqualTo(Duration.ofSeconds(2).toNanos());
  }

  @Test
  void aDelayThatHalfOfTheWorkersHadIsGivenToNoOtherWorker() {
    answered("a", 3_000);
    answered("b", 4_000);
    answered("c", 10);
    answered("d", 20);

    assertThat(limitMillis("c")).isEqualTo(2_000);
  }

  @Test
  void aDelayThatMostWorkersHadIsGivenToAll() {
    answered("a", 3_000);
    answered("b", 4_000);
    answered("c", 10);
    answered("d", 2_500);

    assertThat(limitMillis("c")).isEqualTo(5_000);
    assertThat(limitMillis("new")).isEqualTo(5_000);
    assertThat(limitMillis("b")).isEqualTo(8_000);
  }

  @Test
  void quickWorkersThatAnswerLaterMakeTheSlowOnesTheFew() {
    answered("a", 3_000);
    answered("b", 3_000);
    boolean wasGivenToAll = limitMillis("new") == 6_000;

    answered("c", 10);
    answered("d", 10);

    assertThat(wasGivenToAll).isTrue();
    assertThat(limitMillis("new")).isEqualTo(2_000);
  }

  @Test
  void aDelayIsForgottenAfterThirtySecondsAtTheEarliestAndAMinuteAtTheLatest() {
    for (int millis = 0; millis < 30_000; millis += 1_000) {
      var remembers = new AcceptanceDelays();
      long nanos = Duration.ofMillis(nowMillis + millis).toNanos();
      remembers.answered(lease("a", "first"), Duration.ofSeconds(3).toNanos(), nanos);
      remembers.answered(lease("b", "first"), Duration.ofSeconds(3).toNanos(), nanos);

      assertThat(limitAfter(remembers, nanos, 29_900)).isEqualTo(6_000);
      assertThat(limitAfter(remembers, nanos, 60_000)).isEqualTo(2_000);
    }
  }

  @Test
  void aDelayThatIsRepeatedIsNotForgotten() {
    for (int i = 0; i < 20; i++) {
      answered("w", 3_000);
      nowMillis += 25_000;

      assertThat(limitMillis("w")).isEqualTo(6_000);
    }
  }

  @Test
  void noMoreWorkersAreKnownThanABoundAndTheOthersCountAsQuick() {
    for (int i = 0; i < 4_096; i++) {
      answered("w" + i, 10);
    }
    answered("one too many", 3_000);
    answered("w7", 3_000);

    assertThat(limitMillis("one too many")).isEqualTo(2_000);
    assertThat(limitMillis("w7")).isEqualTo(6_000);
  }

  private void answered(String worker, long delayMillis) {
    delays.answered(lease(worker, "first"), Duration.ofMillis(delayMillis).toNanos(), nowNanos());
  }

  private long limitMillis(String worker) {
    return limitAfter(delays, nowNanos(), 0, worker);
  }

  private static long limitAfter(AcceptanceDelays delays, long nanos, long millis) {
    return limitAfter(delays, nanos, millis, "a");
  }

  private static long limitAfter(AcceptanceDelays delays, long nanos, long millis, String worker) {
    long limit =
        delays.limitNanos(lease(worker, "first"), nanos + Duration.ofMillis(millis).toNanos());
    return Duration.ofNanos(limit).toMillis();
  }

  private long nowNanos() {
    return Duration.ofMillis(nowMillis).toNanos();
  }

  private static LeaseRef lease(String worker, String incarnation) {
    return new LeaseRef("r", 1, "lease", worker, incarnation);
  }
}
