package io.sluice.router.app;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/** Reads from the metrics of Kafka's consumers how far they are behind. */
final class LagReading {
  private static final String LAG = "records-lag";

  private LagReading() {}

  /**
   * Returns the records of a topic that are not read yet, over all partitions that have a reader.
   */
  static long of(Collection<? extends Metric> metrics, String topic) {
    Map<String, Double> byPartition = new HashMap<>();
    for (Metric metric : metrics) {
      MetricName name = metric.metricName();
      if (name.name().equals(LAG) && isOf(topic, name.tags().get("topic"))) {
        double lag = metric.metricValue() instanceof Number number ? number.doubleValue() : 0;
        // Kafka reports a topic with dots in its name twice, once with underscores.
        byPartition.merge(
            String.valueOf(name.tags().get("partition")), Double.isNaN(lag) ? 0 : lag, Math::max);
      }
    }
    return (long) byPartition.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  private static boolean isOf(String topic, @Nullable String tag) {
    return topic.equals(tag) || topic.replace('.', '_').equals(tag);
  }
}
