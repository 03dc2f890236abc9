package io.sluice.common.protocol;

import java.time.Duration;
import java.util.Collection;
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

/** Ensures that topics keep their records long enough. */
final class TopicRetention {
  private static final long WAIT_SECONDS = 30;
  private static final long FOR_EVER = -1;
  private static final Logger log = LoggerFactory.getLogger(TopicRetention.class);

  private TopicRetention() {}

  /**
   * Raises the retention of these topics to at least this duration. Topics with a longer retention
   * are not changed. If the change is not permitted, this is logged. Blocks for a bounded time.
   */
  static void atLeast(Duration least, Collection<String> topics, Admin admin) {
    try {
      List<ConfigResource> all =
          topics.stream().map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name)).toList();
      Map<ConfigResource, Config> configs =
          admin.describeConfigs(all).all().get(WAIT_SECONDS, TimeUnit.SECONDS);
      List<ConfigResource> shorter =
          configs.entrySet().stream()
              .filter(topic -> isShorter(topic.getValue(), least.toMillis()))
              .map(Map.Entry::getKey)
              .toList();
      if (shorter.isEmpty()) {
        return;
      }
      log.info(
          "event=retention_raised topics=\"{}\" hours={}",
          shorter.stream().map(ConfigResource::name).collect(Collectors.joining(",")),
          least.toHours());
      var longer =
          new AlterConfigOp(
              new ConfigEntry(TopicConfig.RETENTION_MS_CONFIG, Long.toString(least.toMillis())),
              AlterConfigOp.OpType.SET);
      admin
          .incrementalAlterConfigs(
              shorter.stream().collect(Collectors.toMap(topic -> topic, topic -> List.of(longer))))
          .all()
          .get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      log.warn(
          "event=retention_not_checked effect=\"requests with long deadlines may be deleted unanswered\" hint=\"set retention.ms of the pool's topics to at least {}\" reason=\"{}\"",
          least.toMillis(),
          e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while checking the pool's topics", e);
    }
  }

  private static boolean isShorter(Config config, long leastMillis) {
    ConfigEntry entry = config.get(TopicConfig.RETENTION_MS_CONFIG);
    long millis = entry == null ? FOR_EVER : Long.parseLong(entry.value());
    return millis != FOR_EVER && millis < leastMillis;
  }
}
