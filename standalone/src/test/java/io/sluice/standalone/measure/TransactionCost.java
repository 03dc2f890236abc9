package io.sluice.standalone.measure;

import io.sluice.standalone.kafka.EmbeddedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * Measures the cost of exactly-once processing on the path to a worker, compared with
 * at-least-once: requests pass through Kafka Streams, which stores each in a changelogged store and
 * forwards it to a topic whose consumer reads committed records. Both run alternately. Arguments:
 * rounds, seconds of each turn, requests per second.
 */
public final class TransactionCost {
  private static final int PARTITIONS = 8;
  private static final int BODY_BYTES = 2_048;
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration LATE = Duration.ofSeconds(10);
  private static final String STORE = "requests";

  /** A kind of processing. */
  private record Way(String name, String guarantee, int commitMillis) {
    static final List<Way> ALL =
        List.of(
            new Way("at least once", StreamsConfig.AT_LEAST_ONCE, 1_000),
            new Way("exactly once, commit every 100 ms", StreamsConfig.EXACTLY_ONCE_V2, 100),
            new Way("exactly once, commit every 20 ms", StreamsConfig.EXACTLY_ONCE_V2, 20),
            new Way("exactly once, commit every 5 ms", StreamsConfig.EXACTLY_ONCE_V2, 5));
  }

  /** The samples of one kind of processing, over all rounds. */
  private record Found(Samples millis, Samples processorMicros) {}

  private final String kafka;
  private final Path state;

  private TransactionCost(String kafka, Path state) {
    this.kafka = kafka;
    this.state = state;
  }

  public static void main(String[] args) throws Exception {
    int rounds = HopOverhead.argument(args, 0, 3);
    int seconds = HopOverhead.argument(args, 1, 10);
    int perSecond = HopOverhead.argument(args, 2, 100);
    QuietLog.set();
    try (var broker = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()))) {
      var cost =
          new TransactionCost(
              broker.bootstrapServers(), Files.createTempDirectory("sluice-measure"));
      List<Found> found = new ArrayList<>();
      for (Way way : Way.ALL) {
        cost.turn(way, new Arrivals(perSecond * seconds, perSecond, -1), none());
        found.add(none());
      }
      for (int round = 1; round <= rounds; round++) {
        for (int i = 0; i < Way.ALL.size(); i++) {
          cost.turn(
              Way.ALL.get(i), new Arrivals(perSecond * seconds, perSecond, round), found.get(i));
        }
      }
      System.out.printf(
          "%d requests/s of %d bytes, %d rounds of %d s%n", perSecond, BODY_BYTES, rounds, seconds);
      System.out.println(
          "processing                          to the worker p50  p99 (ms)  processor time each (us)");
      for (int i = 0; i < found.size(); i++) {
        System.out.printf(
            Locale.ROOT,
            "%-34s  %17.1f  %8.1f  %24.0f%n",
            Way.ALL.get(i).name(),
            found.get(i).millis().median(),
            found.get(i).millis().quantile(0.99),
            found.get(i).processorMicros().median());
      }
    }
    System.exit(0);
  }

  private static Found none() {
    return new Found(new Samples(), new Samples());
  }

  /** The CPU time is that of the whole process: broker, streams, load and worker. */
  private void turn(Way way, Arrivals arrivals, Found found) throws Exception {
    String id = "measure-" + UUID.randomUUID();
    createTopics(id);
    Map<String, Long> sentNanos = new ConcurrentHashMap<>();
    CountDownLatch open = new CountDownLatch(arrivals.count());
    try (var streams = new KafkaStreams(topology(id), properties(way, id));
        var requests = Producers.open(kafka, 0);
        var worker = new Worker(id, sentNanos, open, found.millis())) {
      worker.start();
      streams.start();
      while (streams.state() != KafkaStreams.State.RUNNING) {
        Thread.sleep(50);
      }
      Duration before = LaunchedService.cpu(ProcessHandle.current());
      arrivals.run(
          i -> {
            String key = id + i;
            sentNanos.put(key, System.nanoTime());
            requests.send(new ProducerRecord<>(id, key, new byte[BODY_BYTES]));
          });
      if (!open.await(LATE.toSeconds(), TimeUnit.SECONDS)) {
        System.err.printf("%s: %d requests did not arrive%n", way.name(), open.getCount());
      }
      Duration took = LaunchedService.cpu(ProcessHandle.current()).minus(before);
      found.processorMicros().add(took.toNanos() / 1e3 / arrivals.count());
    }
  }

  private void createTopics(String id) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
      admin
          .createTopics(
              List.of(
                  new NewTopic(id, PARTITIONS, (short) 1),
                  new NewTopic(workerTopic(id), 1, (short) 1)))
          .all()
          .get();
    }
  }

  private static String workerTopic(String id) {
    return id + "-worker";
  }

  private static Topology topology(String id) {
    return new Topology()
        .addSource("requests-in", new StringDeserializer(), new ByteArrayDeserializer(), id)
        .addProcessor("store", StoreAndPass::new, "requests-in")
        .addStateStore(
            Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(STORE), Serdes.String(), Serdes.ByteArray()),
            "store")
        .addSink(
            "worker", workerTopic(id), new StringSerializer(), new ByteArraySerializer(), "store");
  }

  private static final class StoreAndPass
      extends ContextualProcessor<String, byte[], String, byte[]> {
    @Override
    public void process(Record<String, byte[]> record) {
      KeyValueStore<String, byte[]> store = context().getStateStore(STORE);
      store.put(record.key(), record.value());
      context().forward(record);
    }
  }

  /** The router's settings, except for the guarantee and the commit interval. */
  private Properties properties(Way way, String id) {
    Properties properties = new Properties();
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, kafka);
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, id);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, way.guarantee());
    properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, way.commitMillis());
    properties.put(StreamsConfig.POLL_MS_CONFIG, Math.min(10, way.commitMillis()));
    properties.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    properties.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, StreamsConfig.MAX_TASK_IDLE_MS_DISABLED);
    properties.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
    properties.put(StreamsConfig.producerPrefix("linger.ms"), 0);
    return properties;
  }

  /** Reads committed records, and measures the time that each request took. */
  private final class Worker implements AutoCloseable {
    private final Thread thread;
    private volatile boolean isClosing;

    Worker(String id, Map<String, Long> sentNanos, CountDownLatch open, Samples millis) {
      thread = Thread.ofPlatform().unstarted(() -> read(id, sentNanos, open, millis));
    }

    void start() {
      thread.start();
    }

    private void read(String id, Map<String, Long> sentNanos, CountDownLatch open, Samples millis) {
      try (var consumer =
          new KafkaConsumer<>(
              Map.of(
                  "bootstrap.servers",
                  kafka,
                  "isolation.level",
                  "read_committed",
                  "enable.auto.commit",
                  "false"),
              new StringDeserializer(),
              new ByteArrayDeserializer())) {
        TopicPartition topic = new TopicPartition(workerTopic(id), 0);
        consumer.assign(List.of(topic));
        consumer.seekToBeginning(List.of(topic));
        while (!isClosing) {
          for (var record : consumer.poll(POLL)) {
            millis.addMillis(System.nanoTime() - sentNanos.get(record.key()));
            open.countDown();
          }
        }
      }
    }

    @Override
    public void close() throws InterruptedException {
      isClosing = true;
      thread.join();
    }
  }
}
