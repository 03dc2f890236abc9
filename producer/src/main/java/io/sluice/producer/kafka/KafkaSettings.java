package io.sluice.producer.kafka;

import static org.apache.kafka.clients.consumer.ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.AUTO_OFFSET_RESET_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.GROUP_ID_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.MAX_POLL_RECORDS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG;

import io.sluice.common.topic.PoolTopics;
import io.sluice.producer.ClientConfig;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Opens Kafka clients. The user's properties are applied first, then those that the guarantees
 * require.
 */
public final class KafkaSettings {
  private static final int MAX_BLOCK_MILLIS = 5_000;
  private static final int DELIVERY_TIMEOUT_MILLIS = 30_000;
  private static final int REQUEST_TIMEOUT_MILLIS = 10_000;
  private static final int SESSION_TIMEOUT_MILLIS = 10_000;
  private static final int MAX_POLL_RECORDS = 2_000;
  private static final int LOOKUP_FETCH_MILLIS = 5;
  private static final int FOLLOWING_FETCH_MILLIS = 50;
  private static final int PLACING_FETCH_BYTES = 128 * 1024;

  private KafkaSettings() {}

  public static Producer<String, byte[]> producer(ClientConfig config) {
    return new KafkaProducer<>(
        producerProperties(config), new StringSerializer(), new ByteArraySerializer());
  }

  /** Returns a consumer without a group. It assigns its partitions itself and commits nothing. */
  public static Consumer<String, byte[]> consumer(ClientConfig config) {
    return consumer(consumerProperties(config));
  }

  /**
   * Returns such a consumer that also looks up offsets while it reads. A fetch that waits for more
   * records delays the next lookup on the same connection, so it hardly waits.
   */
  public static Consumer<String, byte[]> lookupConsumer(ClientConfig config) {
    Map<String, Object> properties = consumerProperties(config);
    properties.put(FETCH_MAX_WAIT_MS_CONFIG, LOOKUP_FETCH_MILLIS);
    return consumer(properties);
  }

  /**
   * Returns a consumer without a group that waits at the ends of partitions, to which others are
   * added: a fetch that waits for records of those that it has delays the first one of those that
   * are added.
   */
  public static Consumer<String, byte[]> followingConsumer(ClientConfig config) {
    Map<String, Object> properties = consumerProperties(config);
    properties.put(FETCH_MAX_WAIT_MS_CONFIG, FOLLOWING_FETCH_MILLIS);
    return consumer(properties);
  }

  /**
   * Returns a consumer that shares partitions with others of its group, and reads from their ends.
   * It commits nothing.
   */
  public static Consumer<String, byte[]> groupConsumer(ClientConfig config, String group) {
    Map<String, Object> properties = consumerProperties(config);
    properties.put(GROUP_ID_CONFIG, group);
    properties.put(AUTO_OFFSET_RESET_CONFIG, "latest");
    properties.put(SESSION_TIMEOUT_MS_CONFIG, SESSION_TIMEOUT_MILLIS);
    properties.put(PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
    return consumer(properties);
  }

  /** Returns an administrator's client. */
  public static Admin admin(ClientConfig config) {
    Map<String, Object> properties = common(config);
    properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MILLIS);
    properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, MAX_BLOCK_MILLIS);
    return Admin.create(properties);
  }

  /**
   * Returns a consumer without a group that reads single records or short answers: it fetches
   * little at a time, and hardly waits at the end of a partition.
   */
  public static Consumer<String, byte[]> placingConsumer(ClientConfig config) {
    Map<String, Object> properties = consumerProperties(config);
    properties.put(FETCH_MAX_WAIT_MS_CONFIG, LOOKUP_FETCH_MILLIS);
    properties.put(MAX_PARTITION_FETCH_BYTES_CONFIG, PLACING_FETCH_BYTES);
    return consumer(properties);
  }

  private static Consumer<String, byte[]> consumer(Map<String, Object> properties) {
    return new KafkaConsumer<>(properties, new StringDeserializer(), new ByteArrayDeserializer());
  }

  static Map<String, Object> producerProperties(ClientConfig config) {
    Map<String, Object> properties = common(config);
    // A single request is not delayed; under load, requests form batches even without lingering.
    properties.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 0);
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, PoolTopics.MAX_REQUEST_BYTES);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MILLIS);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT_MILLIS);
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MILLIS);
    return properties;
  }

  static Map<String, Object> consumerProperties(ClientConfig config) {
    Map<String, Object> properties = common(config);
    properties.putIfAbsent(MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
    properties.remove(GROUP_ID_CONFIG);
    properties.put(ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(AUTO_OFFSET_RESET_CONFIG, "none");
    properties.put(ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return properties;
  }

  private static Map<String, Object> common(ClientConfig config) {
    Map<String, Object> properties = new HashMap<>(config.kafka());
    properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, config.bootstrapServers());
    return properties;
  }
}
