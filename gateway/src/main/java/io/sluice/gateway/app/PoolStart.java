package io.sluice.gateway.app;

import io.sluice.common.protocol.Topics;
import io.sluice.fleet.PoolSettings;
import io.sluice.producer.ClientException;
import io.sluice.producer.kafka.KafkaErrors;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The start of a pool whose services start in any order: routers and workers create its topics. */
final class PoolStart {
  private static final List<String> TOPICS =
      List.of(
          Topics.REPLIES,
          Topics.CONTROL,
          Topics.RESPONSES,
          Topics.DELETED_RESPONSES,
          Topics.BATCHES);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(250);
  private static final int ANSWER_MILLIS = 5_000;
  private static final Logger log = LoggerFactory.getLogger(PoolStart.class);

  private PoolStart() {}

  /**
   * Returns once the topics that a gateway reads are there and have leaders. Also returns if Kafka
   * does not let the gateway ask for one, which is reported when it is used.
   *
   * @throws ClientException if that takes longer; the message names a missing topic
   */
  static void await(PoolSettings pool, Duration within) {
    Map<String, Object> properties = new HashMap<>(pool.kafkaProperties().entries());
    properties.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, pool.kafka());
    properties.put(AdminClientConfig.CLIENT_ID_CONFIG, "sluice-gateway-start");
    long start = System.nanoTime();
    boolean isSaid = false;
    try (Admin admin = Admin.create(properties)) {
      for (Optional<String> missing = missing(admin);
          missing.isPresent();
          missing = missing(admin)) {
        if (System.nanoTime() - start > within.toNanos()) {
          throw KafkaErrors.noTopic(pool.kafka(), missing.get());
        }
        if (!isSaid) {
          log.info(
              "event=gateway_waits_for_pool topic={} within_s={}",
              missing.get(),
              within.toSeconds());
          isSaid = true;
        }
        Thread.sleep(LOOK_AGAIN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the pool's topics", e);
    }
  }

  /** Returns a topic that cannot be read yet. */
  private static Optional<String> missing(Admin admin) throws InterruptedException {
    var options = new DescribeTopicsOptions().timeoutMs(ANSWER_MILLIS);
    for (var described : admin.describeTopics(TOPICS, options).topicNameValues().entrySet()) {
      if (!isReadable(described.getValue())) {
        return Optional.of(described.getKey());
      }
    }
    return Optional.empty();
  }

  private static boolean isReadable(KafkaFuture<TopicDescription> described)
      throws InterruptedException {
    try {
      return described.get().partitions().stream()
          .allMatch(partition -> partition.leader() != null && !partition.leader().isEmpty());
    } catch (ExecutionException e) {
      // Among these are unknown topics.
      return !(e.getCause() instanceof RetriableException);
    }
  }
}
