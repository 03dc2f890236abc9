package io.sluice.standalone.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/**
 * The path of a request and of its first token through Kafka alone: a producer, lane topics, Kafka
 * Streams with the router's settings that forwards every record to a worker's topic, an echo with a
 * consumer and a producer, a reply topic, and a consumer. Topics, partitions and sizes are those of
 * a pool; no producer lingers.
 */
final class BareHops implements AutoCloseable {
  private static final String PREFIX = "measure.";
  private static final List<String> LANES =
      List.of("2k", "8k", "32k", "128k").stream().map(lane -> PREFIX + "requests." + lane).toList();
  private static final String WORKER = PREFIX + "worker.";
  private static final String REPLIES = PREFIX + "replies";

  /** The topics of each hop. */
  static final List<String> HOPS = List.of(PREFIX + "requests.", WORKER, REPLIES);

  private static final Duration POLL = Duration.ofMillis(200);

  /** The headers that a router adds to a request, in bytes. */
  private static final byte[] ASSIGNMENT = new byte[260];

  /** The headers of a first reply; its value is an OpenAI chunk. */
  private static final byte[] REPLY_HEADERS = new byte[180];

  private static final byte[] REPLY = new byte[240];

  private final String kafka;
  private final KafkaProducer<String, byte[]> requests;
  private final KafkaStreams streams;
  private final List<Thread> threads = new ArrayList<>();
  private final Map<String, Runnable> waiting = new ConcurrentHashMap<>();
  private volatile boolean isClosing;

  BareHops(String kafka, int partitions, int workers) throws Exception {
    this.kafka = kafka;
    List<NewTopic> topics = new ArrayList<>();
    LANES.forEach(lane -> topics.add(topic(lane, partitions)));
    topics.add(topic(REPLIES, partitions));
    IntStream.range(0, workers).forEach(i -> topics.add(topic(WORKER + i, 1)));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
      admin.createTopics(topics).all().get();
    }
    requests = Producers.open(kafka, 0);
    CountDownLatch positioned = new CountDownLatch(workers + 1);
    for (int i = 0; i < workers; i++) {
      KafkaProducer<String, byte[]> replies = Producers.open(kafka, 0);
      consume(WORKER + i, positioned, record -> echo(record, replies));
    }
    consume(
        REPLIES,
        positioned,
        record -> Optional.ofNullable(waiting.remove(record.key())).ifPresent(Runnable::run));
    streams = new KafkaStreams(topology(workers), streamsProperties());
    streams.start();
    positioned.await();
    while (streams.state() != KafkaStreams.State.RUNNING) {
      Thread.sleep(50);
    }
  }

  /** Sends a request; calls the runnable when its reply has arrived. */
  void send(String id, byte[] body, Runnable onReply) {
    waiting.put(id, onReply);
    var record = new ProducerRecord<>(LANES.getFirst(), id, body);
    record.headers().add("request-id", id.getBytes());
    requests.send(record);
  }

  int unanswered() {
    return waiting.size();
  }

  private static Topology topology(int workers) {
    return new Topology()
        .addSource(
            "lanes",
            new StringDeserializer(),
            new ByteArrayDeserializer(),
            LANES.toArray(String[]::new))
        .addProcessor("pass", Pass::new, "lanes")
        .addSink(
            "workers",
            (String key, byte[] value, org.apache.kafka.streams.processor.RecordContext context) ->
                WORKER + Math.floorMod(key.hashCode(), workers),
            new StringSerializer(),
            new ByteArraySerializer(),
            "pass");
  }

  private static final class Pass extends ContextualProcessor<String, byte[], String, byte[]> {
    @Override
    public void process(Record<String, byte[]> record) {
      record.headers().add("assignment", ASSIGNMENT);
      context().forward(record);
    }
  }

  /** The router's settings. */
  private Properties streamsProperties() {
    Properties properties = new Properties();
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, kafka);
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "measure-bare");
    properties.put(StreamsConfig.STATE_DIR_CONFIG, System.getProperty("java.io.tmpdir"));
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.AT_LEAST_ONCE);
    properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
    properties.put(StreamsConfig.POLL_MS_CONFIG, 10);
    properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1_000);
    properties.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, StreamsConfig.MAX_TASK_IDLE_MS_DISABLED);
    properties.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 0);
    properties.put(StreamsConfig.producerPrefix(ProducerConfig.ACKS_CONFIG), "all");
    return properties;
  }

  private static NewTopic topic(String name, int partitions) {
    return new NewTopic(name, partitions, (short) 1)
        .configs(Map.of(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime"));
  }

  private static void echo(
      ConsumerRecord<String, byte[]> record, KafkaProducer<String, byte[]> replies) {
    var reply = new ProducerRecord<>(REPLIES, 0, record.key(), REPLY);
    reply.headers().add("reply", REPLY_HEADERS);
    replies.send(reply);
  }

  private void consume(
      String topic, CountDownLatch positioned, Consumer<ConsumerRecord<String, byte[]>> action) {
    threads.add(
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try (var consumer =
                      new KafkaConsumer<>(
                          Map.of(
                              ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                              kafka,
                              ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                              false),
                          new StringDeserializer(),
                          new ByteArrayDeserializer())) {
                    var partition = new TopicPartition(topic, 0);
                    consumer.assign(List.of(partition));
                    consumer.seekToEnd(List.of(partition));
                    consumer.position(partition);
                    positioned.countDown();
                    while (!isClosing) {
                      consumer.poll(POLL).forEach(action);
                    }
                  }
                }));
  }

  @Override
  public void close() throws InterruptedException {
    isClosing = true;
    streams.close(Duration.ofSeconds(5));
    for (Thread thread : threads) {
      thread.join(2_000);
    }
    requests.close(Duration.ofSeconds(1));
  }
}
