package io.sluice.standalone.measure;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Shows where the time goes: the broker's append times of each request's first record on each topic
 * of its path, between the caller's own two times. All times are by the clock of this machine, to a
 * millisecond, so only means and tails are meaningful; the mean excludes the slowest tenth of each
 * stage.
 */
final class Stages {
  private static final double COUNTED = 0.9;
  private static final List<String> NAMES =
      List.of("send to log", "router", "worker and engine", "log to reader");

  private final Map<String, Long> sent = new ConcurrentHashMap<>();
  private final Map<String, Long> received = new ConcurrentHashMap<>();

  void sent(String id, long millis) {
    sent.put(id, millis);
  }

  void received(String id) {
    received.putIfAbsent(id, System.currentTimeMillis());
  }

  void clear() {
    sent.clear();
    received.clear();
  }

  /**
   * Prints the mean of each stage, and its 99th percentile.
   *
   * @param hops the topics of each hop: requests, workers, replies; the prefixes of their names
   */
  void print(String what, String kafka, List<String> hops) {
    List<Map<String, Long>> times =
        List.of(
            sent,
            appendTimes(kafka, hops.get(0)),
            appendTimes(kafka, hops.get(1)),
            appendTimes(kafka, hops.get(2)),
            received);
    StringBuilder line = new StringBuilder("%-10s".formatted(what));
    for (int stage = 0; stage < NAMES.size(); stage++) {
      double[] millis = sorted(times.get(stage), times.get(stage + 1));
      double mean =
          Arrays.stream(millis)
              .limit((long) (millis.length * COUNTED))
              .average()
              .orElse(Double.NaN);
      double p99 = millis.length == 0 ? Double.NaN : millis[(int) (millis.length * 0.99)];
      line.append("  %s %.1f (%.0f)".formatted(NAMES.get(stage), mean, p99));
    }
    System.out.println(line);
  }

  private static double[] sorted(Map<String, Long> from, Map<String, Long> to) {
    return from.entrySet().stream()
        .filter(entry -> to.containsKey(entry.getKey()))
        .mapToDouble(entry -> to.get(entry.getKey()) - entry.getValue())
        .sorted()
        .toArray();
  }

  private static Map<String, Long> appendTimes(String kafka, String prefix) {
    Map<String, Long> times = new HashMap<>();
    try (var consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                kafka,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false),
            new StringDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.listTopics().values().stream()
              .flatMap(List::stream)
              .filter(info -> info.topic().startsWith(prefix))
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      var ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        for (var record : consumer.poll(Duration.ofMillis(200))) {
          times.putIfAbsent(String.valueOf(record.key()), record.timestamp());
        }
      }
    }
    return times;
  }
}
