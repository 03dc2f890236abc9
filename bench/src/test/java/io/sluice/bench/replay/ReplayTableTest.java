package io.sluice.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.bench.replay.log.End;
import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.bench.replay.model.Recorded;
import io.sluice.router.prefix.PrefixChain;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class ReplayTableTest {
  private static final List<RecordedRequest> REQUESTS =
      List.of(
          Recorded.request(
              0, 0, PrefixChain.NONE, Recorded.answered("w", 1_900, 500, 9, Recorded.START)),
          Recorded.within(1_000, 1, Recorded.answered("w", 1_900, 0, 9, Recorded.START)),
          Recorded.request(2, 0, PrefixChain.NONE, Recorded.ended(End.REFUSED)),
          Recorded.request(3, 0, PrefixChain.NONE, Recorded.ended(End.FAILED)));

  @Test
  void figuresCountFirstTokensWithinEachRequestsOwnSlo() {
    Figures figures =
        Figures.of(List.of(0, 1, 2, 3), REQUESTS, id -> Fact.recorded(REQUESTS.get(id)), 2_000);

    assertThat(figures.of(Row.REQUESTS)).hasValue(4);
    assertThat(figures.of(Row.TTFT_P50)).hasValue(1_900);
    assertThat(figures.of(Row.WITHIN_SLO)).hasValue(0.25);
    assertThat(figures.of(Row.PREFIX_HITS)).hasValue(0.25);
    assertThat(figures.of(Row.WAIT_P95)).hasValue(5);
    assertThat(figures.of(Row.REFUSED)).hasValue(1);
    assertThat(figures.of(Row.FAILED)).hasValue(1);
  }

  @Test
  void whatIsNotRecordedIsNotAFigure() {
    Figures figures =
        Figures.of(List.of(2), REQUESTS, id -> Fact.recorded(REQUESTS.get(id)), 2_000);

    assertThat(figures.of(Row.TTFT_P50)).isEmpty();
    assertThat(figures.of(Row.PREFIX_HITS)).isEmpty();
    assertThat(figures.of(Row.WITHIN_SLO)).hasValue(0);
  }

  @Test
  void aColumnIsTheMeanOfItsRuns() {
    Figures mean =
        Figures.mean(
            List.of(
                new Figures(Map.of(Row.REFUSED, 1.0, Row.TTFT_P50, 100.0)),
                new Figures(Map.of(Row.REFUSED, 2.0))));

    assertThat(mean.of(Row.REFUSED).orElseThrow()).isCloseTo(1.5, within(1e-9));
    assertThat(mean.of(Row.TTFT_P50)).hasValue(100);
    assertThat(mean.of(Row.TTFT_P95)).isEmpty();
  }

  @Test
  void theTableNamesTheErrorOfTheModel() {
    var recorded =
        new Figures(
            Map.of(
                Row.REQUESTS,
                1_180.0,
                Row.TTFT_P50,
                200.0,
                Row.WITHIN_SLO,
                0.98,
                Row.REFUSED,
                3.0));
    var model =
        new Figures(
            Map.of(
                Row.REQUESTS,
                1_180.0,
                Row.TTFT_P50,
                190.0,
                Row.WITHIN_SLO,
                0.99,
                Row.REFUSED,
                1.5));
    var whatIf = new Figures(Map.of(Row.REQUESTS, 1_180.0, Row.TTFT_P50, 1_234.0));

    String table =
        ReplayTable.of(
            new ReplayComparison(
                recorded, model, Optional.of(whatIf), new ModelError(1_100, 21.6, 180.2)));

    assertThat(table.lines())
        .contains(
            "                        recorded   model   what-if",
            "requests                   1,180   1,180     1,180",
            "TTFT p50                  200 ms  190 ms  1,234 ms",
            "prefix hits                    -       -         -",
            "refused                        3     1.5         -",
            "  TTFT p50                -10 ms (-5 %)",
            "  first token within SLO  +1.0 points",
            "  refused                 -1.5",
            "  The TTFT of a single request is off by 22 ms (median), 180 ms (p95), over 1,100 requests.");
  }

  @Test
  void cachesThatAreTooColdAreNamed() {
    assertThat(hits(0.9, 0.8)).contains("a longer --warm-up");
    assertThat(hits(0.9, 0.88)).doesNotContain("--warm-up");
    assertThat(hits(0.8, 0.9)).doesNotContain("--warm-up");
  }

  private static String hits(double recorded, double model) {
    return ReplayTable.of(
        new ReplayComparison(
            new Figures(Map.of(Row.PREFIX_HITS, recorded)),
            new Figures(Map.of(Row.PREFIX_HITS, model)),
            Optional.empty(),
            new ModelError(1, 0, 0)));
  }

  @Test
  void withoutAQuestionThereIsNoColumnForIt() {
    String table =
        ReplayTable.of(
            new ReplayComparison(
                new Figures(Map.of()),
                new Figures(Map.of()),
                Optional.empty(),
                new ModelError(0, 0, 0)));

    assertThat(table)
        .doesNotContain("what-if")
        .contains("No request has both a recorded and a modelled TTFT.");
  }

  @Test
  void aFactOfARequestThatHadNoTokenIsEmpty() {
    assertThat(Fact.recorded(REQUESTS.get(2)))
        .isEqualTo(
            new Fact(
                End.REFUSED, OptionalDouble.empty(), OptionalInt.empty(), OptionalLong.empty()));
  }

  @Test
  void timesAreMomentsOrDurationsBack() {
    var converter = new TimeConverter();

    assertThat(converter.convert("2026-11-27T10:00Z"))
        .isEqualTo(Instant.parse("2026-11-27T10:00:00Z"));
    assertThat(converter.convert("2026-11-27T10:00:05+01:00"))
        .isEqualTo(Instant.parse("2026-11-27T09:00:05Z"));
    Instant now = Instant.now();
    for (String back : List.of("30m", "-30m")) {
      assertThat(converter.convert(back))
          .isCloseTo(now.minus(Duration.ofMinutes(30)), within(1, ChronoUnit.MINUTES));
    }
    assertThatThrownBy(() -> converter.convert("yesterday"))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("2026-11-27T10:00Z");
    assertThatThrownBy(() -> converter.convert("2026-11-27T10:00"))
        .isInstanceOf(TypeConversionException.class);
  }
}
