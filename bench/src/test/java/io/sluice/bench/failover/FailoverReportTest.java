package io.sluice.bench.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class FailoverReportTest {
  private static final Turn QUIET = turn(Failure.NONE, List.of(), List.of(80.0, 90.0));

  @Test
  void aRowHasThePercentilesOfAllRoundsAndTheirMedians() {
    // Given
    Turn first = turn(Failure.KILL_WORKER, List.of(2_000.0, 2_100.0, 2_200.0), List.of(70.0));
    Turn second = turn(Failure.KILL_WORKER, List.of(1_500.0), List.of(75.0, 90.4));

    // When
    String text = FailoverReport.of(List.of(QUIET, first, QUIET, second)).text();

    // Then
    assertThat(text.lines().skip(1).map(line -> line.strip().replaceAll(" +", " ")))
        .containsExactly(
            "none 0 - - - 4 80 90 6 200 300 300 0 0 - -",
            "kill -9 worker 4 2000 1500-2100 2200 3 75 90 6 200 300 300 0 0 5000 5000");
  }

  @Test
  void problemsNameTheirFailure() {
    // Given
    Turn turn =
        new Turn(
            Failure.KILL_ROUTER,
            List.of(),
            List.of(),
            List.of(),
            List.of("status 500"),
            1,
            OptionalDouble.of(1));

    // When
    FailoverReport report = FailoverReport.of(List.of(QUIET, turn));

    // Then
    assertThat(report.problems()).containsExactly("kill -9 router: status 500");
    assertThat(report.rows().getLast().lost()).isOne();
  }

  @Test
  void theRunsOfAFigureAreTheMediansOfTheRounds() {
    FailoverReport.Row row = FailoverReport.of(List.of(QUIET, QUIET)).rows().getFirst();

    assertThat(row.name()).isEqualTo("none");
    assertThat(row.first().runs()).containsExactly(200, 200);
    assertThat(row.whole().runs()).isEmpty();
  }

  private static Turn turn(Failure failure, List<Double> hit, List<Double> others) {
    return new Turn(
        failure,
        hit,
        others,
        List.of(100.0, 200.0, 300.0),
        List.of(),
        0,
        failure == Failure.NONE ? OptionalDouble.empty() : OptionalDouble.of(5_000));
  }
}
