package io.sluice.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TurnTest {
  private static final Outcome GOOD = new Outcome(200, true, 900, 40, 10);
  private static final Outcome LATE = new Outcome(200, true, 1_100, 40, 10);
  private static final Outcome SLOW = new Outcome(200, true, 900, 60, 10);
  private static final Outcome REFUSED = Outcome.failed(429);
  private static final Outcome BROKEN = Outcome.failed(200);

  private static final Turn TURN =
      new Turn(List.of(GOOD, LATE, SLOW, REFUSED, BROKEN), 2, new Objectives(1_000, 50));

  @Test
  void onlyAnswersThatAreInTimeCountAsGoodput() {
    assertThat(TURN.goodputPercent()).isEqualTo(20);
    assertThat(TURN.goodput()).isEqualTo(0.5);
    assertThat(TURN.tokensPerSecond()).isEqualTo(15);
  }

  @Test
  void requestsWithoutAnAnswerTookForever() {
    assertThat(TURN.ttftMillis(50)).isEqualTo(1_100);
    assertThat(TURN.ttftMillis(99)).isInfinite();
    assertThat(TURN.tpotMillis(40)).isEqualTo(40);
  }

  @Test
  void refusalsAndFailuresAreToldApart() {
    assertThat(TURN.refusedPercent()).isEqualTo(20);
    assertThat(TURN.failedPercent()).isEqualTo(20);
  }

  @Test
  void theTableShowsWhatHasNoAnswerAsADash() {
    var report = new LoadReport(4, Map.of("gateway", List.of(TURN)));

    assertThat(report.text())
        .contains("4.0 requests per second")
        .containsPattern("gateway +20\\.0 +0\\.5 +1100 +- +- +60\\.0 +20\\.0 +20\\.0 +15");
  }
}
