package io.sluice.worker.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MetricsTextTest {
  private static final Set<String> NAMES = Set.of("load", "load_total");

  @Test
  void theSeriesOfANameAreReadWhereverTheyStand() {
    String text =
        """
        # TYPE load gauge
        load{rank="0"} 1
        load{rank="1"} 2
        load_total{rank="0"} 10
        loads{rank="0"} 100
        load{rank="2"} 4
        load_total 20
        """;

    MetricsText metrics = MetricsText.parse(text, NAMES);

    assertThat(metrics.series(List.of("load")))
        .containsExactly(sample("0", 1), sample("1", 2), sample("2", 4));
    assertThat(metrics.sum(List.of("load_total"))).hasValue(30);
    assertThat(metrics.series(List.of("loads"))).isEmpty();
  }

  @Test
  void emptyLinesForeignLineEndsAndALastLineWithoutAnEndAreRead() {
    MetricsText metrics =
        MetricsText.parse("\n\r\nload{rank=\"0\"} 1\r\n\nload{rank=\"1\"} 2", NAMES);

    assertThat(metrics.series(List.of("load"))).containsExactly(sample("0", 1), sample("1", 2));
  }

  @Test
  void aNameWithoutAReadableValueIsMissing() {
    MetricsText metrics = MetricsText.parse("load\nload NaN\nload_total 3\n", NAMES);

    assertThat(metrics.sum(List.of("load", "load_total"))).hasValue(3);
  }

  private static MetricsText.Sample sample(String rank, double value) {
    return new MetricsText.Sample(Map.of("rank", rank), value);
  }
}
