package io.sluice.router.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.junit.jupiter.api.Test;

class LagReadingTest {
  @Test
  void theLagOfATopicIsTheSumOverItsPartitions() {
    List<Metric> metrics =
        List.of(
            lag("sluice.outcomes", "0", 3),
            lag("sluice.outcomes", "1", 4),
            lag("sluice.requests.2k", "0", 100));

    assertThat(LagReading.of(metrics, "sluice.outcomes")).isEqualTo(7);
  }

  @Test
  void aPartitionThatKafkaReportsUnderTwoSpellingsCountsOnce() {
    List<Metric> metrics = List.of(lag("sluice.outcomes", "0", 3), lag("sluice_outcomes", "0", 3));

    assertThat(LagReading.of(metrics, "sluice.outcomes")).isEqualTo(3);
  }

  @Test
  void aPartitionWithoutAFetchYetCountsAsRead() {
    assertThat(LagReading.of(List.of(lag("t", "0", Double.NaN)), "t")).isZero();
    assertThat(LagReading.of(List.of(), "t")).isZero();
  }

  private static Metric lag(String topic, String partition, double records) {
    var name =
        new MetricName(
            "records-lag",
            "consumer-fetch-manager-metrics",
            "",
            Map.of("topic", topic, "partition", partition));
    return new Metric() {
      @Override
      public MetricName metricName() {
        return name;
      }

      @Override
      public Object metricValue() {
        return records;
      }
    };
  }
}
