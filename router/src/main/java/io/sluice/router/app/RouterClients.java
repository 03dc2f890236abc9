package io.sluice.router.app;

import io.sluice.common.dependency.KafkaProbe;
import io.sluice.common.protocol.ConsumerGroups;
import io.sluice.common.topic.PoolTopics;
import io.sluice.router.stream.TooLargeToStore;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;

/** Kafka clients, set up for a router. */
record RouterClients(RouterConfig config) {

  /** A paused router loses its tasks after this time; {@code PauseWatch.LONG} is half of it. */
  private static final int SESSION_TIMEOUT_MILLIS = 6_000;

  private static final int HEARTBEAT_MILLIS = 1_500;
  private static final int MAX_BLOCK_MILLIS = 5_000;
  private static final int DELIVERY_MILLIS = 30_000;
  private static final int COMMIT_MILLIS = 1_000;
  private static final int POLL_MILLIS = 20;

  /**
   * What was fetched is worked off in order before anything newer is seen, and a worker's word must
   * be seen soon after an assignment, in a crowd of requests too. So little is fetched at once:
   * some hundreds of requests, a fraction of a second's work.
   */
  private static final int MAX_FETCH_BYTES = 256 * 1024;

  private static final int MAX_PARTITION_FETCH_BYTES = 32 * 1024;
  private static final int MAX_POLL_RECORDS = 32;

  /** Parked requests are not kept in memory, so they are not fetched ahead. */
  private static final int BULK_FETCH_BYTES = 4 * 1024 * 1024;

  /**
   * What a router reads before it begins: the broker only drops old values from segments that are
   * closed, and those of a gigabyte, Kafka's default, never would be.
   */
  private static final int CHANGELOG_SEGMENT_BYTES = 16 * 1024 * 1024;

  /** Kafka's default of 50 MiB at once is more than a small heap has to spare. */
  private static final int MAX_RESTORE_FETCH_BYTES = 8 * 1024 * 1024;

  private static final int RECORD_FETCH_BYTES = 64 * 1024;
  private static final int MAX_RECORD_FETCH_BYTES = 4 * 1024 * 1024;
  private static final long DECISIONS_BYTES = 4L * 1024 * 1024;
  private static final int CLOCK_MILLIS = 2_000;
  private static final long CLOCK_BYTES = 64L * 1024;

  KafkaProbe probe() {
    return KafkaProbe.open(config.pool().kafka(), config.pool().kafkaProperties().entries());
  }

  Admin admin() {
    return Admin.create(common());
  }

  /** For all that a router sends itself; for threads that may block. */
  Producer<String, byte[]> producer() {
    return new KafkaProducer<>(
        producerProperties(), new StringSerializer(), new ByteArraySerializer());
  }

  /** For records that no request waits for: in batches, and given up rather than waited for. */
  Producer<String, byte[]> decisionProducer() {
    Map<String, Object> properties = producerProperties();
    properties.put(ProducerConfig.LINGER_MS_CONFIG, 50);
    properties.put(ProducerConfig.ACKS_CONFIG, "1");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
    properties.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, DECISIONS_BYTES);
    return new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer());
  }

  /** For records whose append time is all that is wanted: the leader's word, at once, or none. */
  Producer<String, byte[]> clockProducer() {
    Map<String, Object> properties = producerProperties();
    properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    properties.put(ProducerConfig.ACKS_CONFIG, "1");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
    properties.put(ProducerConfig.RETRIES_CONFIG, 0);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, CLOCK_MILLIS);
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, CLOCK_MILLIS);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, CLOCK_MILLIS);
    properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, CLOCK_BYTES);
    return new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer());
  }

  Producer<byte[], byte[]> bulkProducer() {
    return new KafkaProducer<>(
        producerProperties(), new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** For what comes. */
  Consumer<byte[], byte[]> bulkConsumer() {
    return bulkConsumer(BULK_FETCH_BYTES / 8);
  }

  /** For single records that are read again when they enter, so that little else is read. */
  Consumer<byte[], byte[]> bulkRereader() {
    return bulkConsumer(RECORD_FETCH_BYTES);
  }

  private Consumer<byte[], byte[]> bulkConsumer(int partitionFetchBytes) {
    Map<String, Object> properties = common();
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, ConsumerGroups.BULK_FEEDER);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 50);
    properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, BULK_FETCH_BYTES);
    properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, partitionFetchBytes);
    properties.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, MAX_BLOCK_MILLIS);
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * For records by their offsets, a few at once: what lies between them is fetched but not used.
   */
  Consumer<byte[], byte[]> recordConsumer() {
    Map<String, Object> properties = common();
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, RECORD_FETCH_BYTES);
    properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, MAX_RECORD_FETCH_BYTES);
    properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, POLL_MILLIS);
    properties.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, MAX_BLOCK_MILLIS);
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** At least once, no cache, no idling: each is milliseconds on the first token. */
  Properties streams(Path stateDirectory, short replication) {
    Properties streams = new Properties();
    streams.putAll(common());
    streams.put(StreamsConfig.APPLICATION_ID_CONFIG, ConsumerGroups.ROUTER);
    streams.put(StreamsConfig.STATE_DIR_CONFIG, stateDirectory.toString());
    streams.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.AT_LEAST_ONCE);
    streams.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, config.threads());
    streams.put(StreamsConfig.POLL_MS_CONFIG, POLL_MILLIS);
    streams.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT_MILLIS);
    streams.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    streams.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, StreamsConfig.MAX_TASK_IDLE_MS_DISABLED);
    streams.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, replication > 1 ? 1 : 0);
    streams.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, (int) replication);
    streams.put(StreamsConfig.PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG, TooLargeToStore.class);
    streams.put(
        StreamsConfig.mainConsumerPrefix(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG), config.id());
    streams.put(
        StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG),
        SESSION_TIMEOUT_MILLIS);
    streams.put(
        StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG),
        HEARTBEAT_MILLIS);
    streams.put(
        StreamsConfig.mainConsumerPrefix(ConsumerConfig.FETCH_MAX_BYTES_CONFIG), MAX_FETCH_BYTES);
    streams.put(
        StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG),
        MAX_PARTITION_FETCH_BYTES);
    streams.put(
        StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), MAX_POLL_RECORDS);
    producerSettings()
        .forEach((name, value) -> streams.put(StreamsConfig.producerPrefix(name), value));
    streams.put(
        StreamsConfig.topicPrefix(TopicConfig.MAX_MESSAGE_BYTES_CONFIG),
        Integer.toString(PoolTopics.MAX_RECORD_BYTES));
    // Else a broker whose clock is more than an hour behind takes no changelog records.
    streams.put(
        StreamsConfig.topicPrefix(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG),
        Long.toString(Long.MAX_VALUE));
    streams.put(
        StreamsConfig.topicPrefix(TopicConfig.SEGMENT_BYTES_CONFIG),
        Integer.toString(CHANGELOG_SEGMENT_BYTES));
    streams.put(
        StreamsConfig.restoreConsumerPrefix(ConsumerConfig.FETCH_MAX_BYTES_CONFIG),
        MAX_RESTORE_FETCH_BYTES);
    return streams;
  }

  private Map<String, Object> producerProperties() {
    Map<String, Object> properties = common();
    properties.putAll(producerSettings());
    return properties;
  }

  private static Map<String, Object> producerSettings() {
    return Map.of(
        ProducerConfig.ACKS_CONFIG,
        "all",
        ProducerConfig.LINGER_MS_CONFIG,
        0,
        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
        PoolTopics.MAX_RECORD_BYTES,
        ProducerConfig.MAX_BLOCK_MS_CONFIG,
        MAX_BLOCK_MILLIS,
        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
        DELIVERY_MILLIS / 2,
        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
        DELIVERY_MILLIS);
  }

  private Map<String, Object> common() {
    Map<String, Object> properties = new HashMap<>(config.pool().kafkaProperties().entries());
    properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, config.pool().kafka());
    properties.put(CommonClientConfigs.CLIENT_ID_CONFIG, "sluice-" + config.id());
    return properties;
  }
}
