package io.sluice.bench.soak;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/**
 * Lets a pool's topics keep records for minutes instead of days, so that a run is long enough to
 * see them go.
 */
final class ShortRetention {
  private static final long WITHIN_SECONDS = 30;

  /** As the pool's own topics: a record stays for the retention and one segment. */
  private static final int SEGMENTS = 8;

  private final Duration retention;

  ShortRetention(Duration retention) {
    this.retention = retention;
  }

  /**
   * Sets the retention and the segments of all topics.
   *
   * @throws IOException if Kafka refuses it or does not answer
   */
  void set(String kafka) throws IOException, InterruptedException {
    try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka))) {
      List<ConfigResource> topics =
          admin.listTopics().names().get(WITHIN_SECONDS, TimeUnit.SECONDS).stream()
              .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
              .toList();
      Map<ConfigResource, Config> configs =
          admin.describeConfigs(topics).all().get(WITHIN_SECONDS, TimeUnit.SECONDS);
      Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
      configs.forEach((topic, config) -> changes.put(topic, changes(config)));
      admin.incrementalAlterConfigs(changes).all().get(WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("the retention of the pool's topics was not set", e);
    }
  }

  private List<AlterConfigOp> changes(Config config) {
    List<AlterConfigOp> changes = new ArrayList<>();
    changes.add(set(TopicConfig.SEGMENT_MS_CONFIG, retention.dividedBy(SEGMENTS)));
    String cleanup = config.get(TopicConfig.CLEANUP_POLICY_CONFIG).value();
    if (cleanup.contains(TopicConfig.CLEANUP_POLICY_DELETE)) {
      changes.add(set(TopicConfig.RETENTION_MS_CONFIG, retention));
    }
    if (cleanup.contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
      changes.add(set(TopicConfig.DELETE_RETENTION_MS_CONFIG, retention));
    }
    return changes;
  }

  private static AlterConfigOp set(String key, Duration value) {
    return new AlterConfigOp(
        new ConfigEntry(key, Long.toString(value.toMillis())), AlterConfigOp.OpType.SET);
  }
}
