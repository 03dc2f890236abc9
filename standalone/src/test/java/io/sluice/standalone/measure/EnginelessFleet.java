package io.sluice.standalone.measure;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Topics;
import io.sluice.common.topic.PoolTopics;
import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.RedisFleetRegistry;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.fleet.redis.RedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Workers without engines as routers see them: their topics, and their heartbeats, each at a time
 * of its own and at the rate of real ones. Reads the records sent to them. {@link #start}, {@link
 * #read} and {@link #close} are for one thread.
 */
final class EnginelessFleet implements AutoCloseable {
  private static final Duration HEARTBEAT = Duration.ofMillis(250);
  private static final int BEATS_OF_ALL = 50;
  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(5);

  private final Shape shape;
  private final String kafka;
  private final Function<String, Map<String, Integer>> held;
  private final FleetRegistry registry;
  private final List<Heart> hearts;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
  private final List<Thread> readers = new ArrayList<>();
  private final AtomicLong beats = new AtomicLong();
  private int beat;
  private volatile boolean isClosed;

  /** The number of workers, and the capabilities that each reports. */
  record Shape(int workers, int slots, List<String> models) {
    List<String> ids() {
      return IntStream.range(0, workers).mapToObj(i -> "w" + i).toList();
    }
  }

  /** A heartbeat is skipped while the previous one is still in flight. */
  private final class Heart {
    private final String worker;
    private final AtomicBoolean isPublishing = new AtomicBoolean();
    private int sequence;

    Heart(String worker) {
      this.worker = worker;
    }

    void beat() {
      sequence++;
      if (isPublishing.compareAndSet(false, true)) {
        var _ =
            registry
                .publish(snapshot(worker, sequence))
                .whenComplete(
                    (published, failure) -> {
                      isPublishing.set(false);
                      if (failure == null) {
                        beats.incrementAndGet();
                      }
                    });
      }
    }
  }

  /**
   * Creates a fleet that is not visible yet.
   *
   * @param held the leases that a worker reports, by router
   */
  EnginelessFleet(
      String kafka, String redis, Shape shape, Function<String, Map<String, Integer>> held) {
    this.kafka = kafka;
    this.shape = shape;
    this.held = held;
    this.registry = new RedisFleetRegistry(RedisConnection.open(redis), "default");
    this.hearts = shape.ids().stream().map(Heart::new).toList();
  }

  /** Creates the topics, then publishes the workers; passes on each record sent to them. */
  void start(Consumer<ConsumerRecord<String, byte[]>> given) {
    createTopics();
    var _ =
        clock.scheduleAtFixedRate(
            this::beat, 0, HEARTBEAT.toNanos() / BEATS_OF_ALL, TimeUnit.NANOSECONDS);
    List<TopicPartition> topics =
        shape.ids().stream().map(id -> new TopicPartition(Topics.worker(id), 0)).toList();
    read(topics, given);
  }

  /** Passes on each record of some partitions, from their beginning, on a thread of its own. */
  void read(List<TopicPartition> partitions, Consumer<ConsumerRecord<String, byte[]>> record) {
    readers.add(Thread.ofPlatform().daemon().start(() -> readOn(partitions, record)));
  }

  private void readOn(
      List<TopicPartition> partitions, Consumer<ConsumerRecord<String, byte[]>> record) {
    try (var consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", (Object) kafka, "max.poll.records", 2_000),
            new StringDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (!isClosed) {
        consumer.poll(Duration.ofMillis(100)).forEach(record);
      }
    }
  }

  /** Returns the number of heartbeats that the registry has accepted. */
  long beats() {
    return beats.get();
  }

  /** After it returns, no more records are passed on, unless a reader takes long. */
  @Override
  public void close() {
    isClosed = true;
    clock.shutdownNow();
    try {
      for (Thread reader : readers) {
        reader.join(CLOSE_WITHIN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Created one by one, a thousand topics take a minute. */
  private void createTopics() {
    try (var admin = Admin.create(Map.of("bootstrap.servers", kafka));
        var creators = Executors.newFixedThreadPool(50)) {
      var topics = new PoolTopics(Lanes.standard(), 1, (short) 1);
      shape.ids().stream()
          .map(
              id -> CompletableFuture.runAsync(() -> topics.createWorkerTopic(admin, id), creators))
          .toList()
          .forEach(CompletableFuture::join);
    }
  }

  /** Sends the heartbeat of the next worker. */
  private void beat() {
    for (int i = beat; i < hearts.size(); i += BEATS_OF_ALL) {
      hearts.get(i).beat();
    }
    beat = (beat + 1) % BEATS_OF_ALL;
  }

  private WorkerSnapshot snapshot(String id, int sequence) {
    Map<String, Integer> leases = held.apply(id);
    int running = leases.values().stream().mapToInt(count -> count).sum();
    return WorkerSnapshotBuilder.builder()
        .id(id)
        .incarnation("boot")
        .sequence(sequence)
        .models(shape.models())
        .cards(Map.of())
        .lanes(List.of())
        .maxModelLen(16_384)
        .tokenBudget(100_000_000)
        // Grows with each token of a stream, so that each heartbeat of a busy worker has news.
        .tokensInUse(running == 0 ? 0 : sequence)
        .kvUsage(OptionalDouble.of(0.3))
        .running(running)
        .waiting(0)
        .slots(shape.slots())
        .held(leases)
        .draining(false)
        .engineUp(true)
        .pace(EnginePace.UNKNOWN)
        .traits(EngineTraits.NONE)
        .version("measure")
        .build();
  }
}
