package io.sluice.common.topic;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ensures that topics keep their records long enough, and not much longer. Kafka deletes whole
 * segments, each when its last record is old enough, and by default a segment takes records for a
 * week or up to a gigabyte.
 */
final class TopicRetention {
  private static final long WAIT_SECONDS = 30;
  private static final long FOR_EVER = -1;

  /** Segments per retention. A record stays at most this fraction longer. */
  private static final int SEGMENTS = 8;

  /** Shorter segments would be many small files in a quiet topic. */
  private static final Duration SHORTEST = Duration.ofMinutes(10);

  /** Compaction, too, only drops what is in closed segments. */
  private static final Duration LONGEST = Duration.ofDays(1);

  private static final Logger log = LoggerFactory.getLogger(TopicRetention.class);

  private TopicRetention() {}

  /** Returns for how long a segment takes records: an eighth of the retention, 10 min to a day. */
  static Duration segment(Duration retention) {
    Duration share = retention.dividedBy(SEGMENTS);
    Duration atLeast = share.compareTo(SHORTEST) < 0 ? SHORTEST : share;
    return atLeast.compareTo(LONGEST) > 0 ? LONGEST : atLeast;
  }

  /**
   * Raises the retention of topics where it is too short, and shortens segments that would hold
   * records for much longer than that. What is set better already is not changed. If a change is
   * not permitted, this is logged. Blocks for a bounded time.
   *
   * @param least the least retention by topic
   */
  static void ensure(Map<String, Duration> least, Admin admin) {
    if (least.isEmpty()) {
      return;
    }
    try {
      Map<ConfigResource, Config> configs =
          admin
              .describeConfigs(least.keySet().stream().map(TopicRetention::resource).toList())
              .all()
              .get(WAIT_SECONDS, TimeUnit.SECONDS);
      Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
      least.forEach(
          (topic, retention) -> {
            Config config = configs.getOrDefault(resource(topic), new Config(List.of()));
            List<AlterConfigOp> of = changes(config, retention.toMillis());
            if (!of.isEmpty()) {
              changes.put(resource(topic), of);
            }
          });
      if (!changes.isEmpty()) {
        admin.incrementalAlterConfigs(changes).all().get(WAIT_SECONDS, TimeUnit.SECONDS);
        log.info("event=retention_corrected changes=\"{}\"", shown(changes));
      }
    } catch (ExecutionException | TimeoutException e) {
      log.warn(
          "event=retention_not_checked effect=\"requests with long deadlines may be deleted unanswered, and others kept for days longer\" hint=\"set retention.ms and segment.ms of the topics as docs/operations.md says\" topics=\"{}\" reason=\"{}\"",
          String.join(",", least.keySet()),
          e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while checking the pool's topics", e);
    }
  }

  private static List<AlterConfigOp> changes(Config config, long leastMillis) {
    long found = millis(config, TopicConfig.RETENTION_MS_CONFIG);
    if (found == FOR_EVER) {
      return List.of();
    }
    List<AlterConfigOp> changes = new ArrayList<>();
    if (found < leastMillis) {
      changes.add(set(TopicConfig.RETENTION_MS_CONFIG, leastMillis));
    }
    long segment = segment(Duration.ofMillis(Math.max(found, leastMillis))).toMillis();
    if (millis(config, TopicConfig.SEGMENT_MS_CONFIG) > segment) {
      changes.add(set(TopicConfig.SEGMENT_MS_CONFIG, segment));
    }
    return changes;
  }

  private static ConfigResource resource(String topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic);
  }

  private static AlterConfigOp set(String name, long millis) {
    return new AlterConfigOp(
        new ConfigEntry(name, Long.toString(millis)), AlterConfigOp.OpType.SET);
  }

  private static long millis(Config config, String name) {
    ConfigEntry entry = config.get(name);
    return entry == null ? FOR_EVER : Long.parseLong(entry.value());
  }

  private static String shown(Map<ConfigResource, Collection<AlterConfigOp>> changes) {
    return changes.entrySet().stream()
        .flatMap(
            topic ->
                topic.getValue().stream()
                    .map(AlterConfigOp::configEntry)
                    .map(entry -> topic.getKey().name() + " " + entry.name() + "=" + entry.value()))
        .sorted()
        .collect(Collectors.joining(", "));
  }
}
