package io.sluice.common.topic;

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

/**
 * Topics whose records the brokers store uncompressed, whatever compression their senders use.
 * Kafka checks a record's size as it is stored. A record that is stored compressed may be a
 * thousand times larger when a consumer decompresses it, before the consumer can check its size.
 * One such record exhausts the memory of every reader of the topic, again after each restart. If
 * records are stored uncompressed, the broker rejects those larger than {@code max.message.bytes}
 * and reports that to the sender.
 */
record UncompressedTopics(List<String> names) {
  static final String UNCOMPRESSED = "uncompressed";
  private static final long WAIT_SECONDS = 10;
  private static final Logger log = LoggerFactory.getLogger(UncompressedTopics.class);

  /**
   * Corrects the configuration of topics that were created by others. If that is not permitted, a
   * warning is logged, because the pool works as long as its callers are not malicious.
   */
  void ensure(Admin admin) {
    try {
      Collection<ConfigResource> compressed = compressed(admin);
      if (!compressed.isEmpty()) {
        correct(admin, compressed);
      }
    } catch (ExecutionException | TimeoutException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      log.warn(
          "event=topics_may_hold_compressed_records effect=\"one compressed record can exhaust a router's memory\" hint=\"set compression.type=uncompressed on {}\" reason=\"{}\"",
          names,
          cause.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while checking the pool's topics", e);
    }
  }

  private Collection<ConfigResource> compressed(Admin admin)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (names.isEmpty()) {
      return List.of();
    }
    List<ConfigResource> topics =
        names.stream().map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name)).toList();
    Map<ConfigResource, Config> found =
        admin.describeConfigs(topics).all().get(WAIT_SECONDS, TimeUnit.SECONDS);
    return topics.stream()
        .filter(topic -> !isUnpacked(found.getOrDefault(topic, new Config(List.of()))))
        .toList();
  }

  private static boolean isUnpacked(Config config) {
    ConfigEntry compression = config.get(TopicConfig.COMPRESSION_TYPE_CONFIG);
    return compression != null && UNCOMPRESSED.equals(compression.value());
  }

  private static void correct(Admin admin, Collection<ConfigResource> topics)
      throws InterruptedException, ExecutionException, TimeoutException {
    AlterConfigOp unpack =
        new AlterConfigOp(
            new ConfigEntry(TopicConfig.COMPRESSION_TYPE_CONFIG, UNCOMPRESSED),
            AlterConfigOp.OpType.SET);
    admin
        .incrementalAlterConfigs(
            topics.stream().collect(Collectors.toMap(topic -> topic, topic -> List.of(unpack))))
        .all()
        .get(WAIT_SECONDS, TimeUnit.SECONDS);
    log.warn(
        "event=topics_corrected topics={} set=compression.type=uncompressed reason=\"callers write to them\"",
        topics.stream().map(ConfigResource::name).toList());
  }
}
