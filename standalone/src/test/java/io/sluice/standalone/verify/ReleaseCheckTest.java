package io.sluice.standalone.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.standalone.verify.Release.Cause;
import io.sluice.standalone.verify.Release.Delays;
import io.sluice.standalone.verify.pool.EngineFigures;
import io.sluice.standalone.verify.pool.Finding;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReleaseCheckTest {
  private static final EngineFigures IDLE = new EngineFigures(0, 0, 0.01, 0, 0);

  private static final Delays DELAYS = new Delays(Duration.ofMillis(9), Duration.ofMillis(3));

  @Test
  void oneSlowReleaseBreaksNoPromiseAndIsReported() {
    Finding finding = release(0, 60, 1_409, 55, 70, 61).finding();

    assertThat(finding.isBroken()).isFalse();
    assertThat(finding.text())
        .startsWith("the engine had a cancelled stream for another 61 ms (55 to 1409, 5 times);")
        .contains("up to 12.5% of its KV cache")
        .endsWith("took up to 9 ms, sending a request up to 3 ms");
  }

  @Test
  void aMedianOfMoreThanASecondBreaksIt() {
    assertThat(release(0, 10, 1_000, 1_000).finding().isBroken()).isFalse();
    Finding finding = release(0, 10, 1_001, 5_000).finding();
    assertThat(finding.isBroken()).isTrue();
    assertThat(finding.text())
        .startsWith("BROKEN: ")
        .endsWith("expected 1000 ms at most in the median");
  }

  @Test
  void aStreamThatIsNeverFreedBreaksIt() {
    assertThat(release(1, 10, 10, 10, 10).finding().isBroken()).isTrue();
    assertThat(release(5).finding().text()).contains("for ever");
  }

  @Test
  void aStreamThatWasOverBeforeAnybodyLookedBreaksNothing() {
    assertThat(release(0).finding())
        .isEqualTo(Finding.kept("the engine had a cancelled stream: never"));
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 0.01, true", "1, 0, 0.01, false", "0, 1, 0.01, false", "0, 0, 0.02, false"})
  void aStreamIsFreedWhenItsBlocksAreFreeToo(
      int running, int waiting, double kvUsage, boolean isFreed) {
    var now = new EngineFigures(running, waiting, kvUsage, 0, 0);
    assertThat(ReleaseCheck.isFreed(IDLE, now)).isEqualTo(isFreed);
  }

  private static Release release(int kept, long... millis) {
    List<Duration> took = LongStream.of(millis).mapToObj(Duration::ofMillis).toList();
    return new Release(Cause.CANCELLED, took, kept, 0.125, DELAYS);
  }
}
