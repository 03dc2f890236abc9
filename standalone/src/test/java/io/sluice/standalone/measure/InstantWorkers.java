package io.sluice.standalone.measure;

import io.sluice.common.fleet.EnginePace;
import io.sluice.common.fleet.EngineTraits;
import io.sluice.common.fleet.RedisConnection;
import io.sluice.common.fleet.RedisFleetRegistry;
import io.sluice.common.fleet.WorkerSnapshot;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.PoolTopics;
import io.sluice.common.protocol.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Eight workers without engines: each accepts and starts what it gets at once, and completes it
 * after a fixed time. Keeps count of what becomes of requests. Thread-safe.
 */
final class InstantWorkers implements AutoCloseable {
  /** Of workers that never are full. */
  static final int ANY_SLOTS = 100_000;

  private static final int WORKERS = 8;
  private static final Duration REACHABLE_WITHIN = Duration.ofSeconds(60);

  private final String kafka;
  private final int slots;
  private final Duration service;
  private final LongConsumer onAssigned;
  private final RedisFleetRegistry registry;
  private final List<String> ids = IntStream.range(0, WORKERS).mapToObj(i -> "w" + i).toList();
  private final ScheduledExecutorService clock =
      Executors.newScheduledThreadPool(2, Thread.ofPlatform().daemon().factory());
  private final Set<String> sent = ConcurrentHashMap.newKeySet();
  private final Set<String> assigned = ConcurrentHashMap.newKeySet();
  private final Set<String> answered = ConcurrentHashMap.newKeySet();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private final AtomicInteger assignments = new AtomicInteger();
  private volatile boolean isClosed;

  /**
   * Starts them.
   *
   * @param onAssigned is told of each assignment how many milliseconds after its request's append
   *     it came
   */
  InstantWorkers(String kafka, String redis, int slots, Duration service, LongConsumer onAssigned) {
    this.kafka = kafka;
    this.slots = slots;
    this.service = service;
    this.onAssigned = onAssigned;
    this.registry = new RedisFleetRegistry(RedisConnection.open(redis), "default");
    try (var admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
      var topics = new PoolTopics(Lanes.standard(), MeasuredRouter.PARTITIONS, (short) 1);
      ids.forEach(id -> topics.createWorkerTopic(admin, id));
    }
    AtomicInteger sequence = new AtomicInteger();
    var _ =
        clock.scheduleAtFixedRate(
            () -> {
              int next = sequence.incrementAndGet();
              ids.forEach(id -> registry.publish(snapshot(id, next)));
            },
            0,
            250,
            TimeUnit.MILLISECONDS);
    Thread.ofPlatform().daemon().start(this::serve);
    Thread.ofPlatform().daemon().start(this::readRefusals);
  }

  /** Sends requests until the first one is answered, then forgets them. */
  void awaitReachable(Runnable send) throws InterruptedException {
    long start = System.nanoTime();
    while (answered.isEmpty()) {
      if (System.nanoTime() - start > REACHABLE_WITHIN.toNanos()) {
        throw new IllegalStateException("no request was answered; is the router well?");
      }
      send.run();
      Thread.sleep(250);
    }
    Thread.sleep(2_000);
    Stream.of(sent, assigned, answered, refused).forEach(Set::clear);
    assignments.set(0);
  }

  void sent(String requestId) {
    sent.add(requestId);
  }

  boolean isAnswered(String requestId) {
    return answered.contains(requestId);
  }

  int answered() {
    return answered.size();
  }

  int refused() {
    return refused.size();
  }

  /** How many requests have no end. */
  int open() {
    return (int)
        sent.stream().filter(id -> !answered.contains(id) && !refused.contains(id)).count();
  }

  int assignedAgain() {
    return assignments.get() - assigned.size();
  }

  @Override
  public void close() {
    isClosed = true;
    clock.shutdownNow();
  }

  private void serve() {
    List<TopicPartition> topics =
        ids.stream().map(id -> new TopicPartition(Topics.worker(id), 0)).toList();
    try (var consumer = consumer();
        var producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", (Object) kafka, "linger.ms", 1),
                new StringSerializer(),
                new ByteArraySerializer())) {
      consumer.assign(topics);
      consumer.seekToBeginning(topics);
      while (!isClosed) {
        for (var record : consumer.poll(Duration.ofMillis(100))) {
          Assignment.parse(record.headers())
              .ifPresent(
                  assignment -> {
                    serve(assignment, producer);
                    onAssigned.accept(record.timestamp() - assignment.appendTimeMillis());
                  });
        }
      }
    }
  }

  private void serve(Assignment assignment, KafkaProducer<String, byte[]> producer) {
    String requestId = assignment.lease().requestId();
    assignments.incrementAndGet();
    assigned.add(requestId);
    report(producer, assignment, new Outcome.Accepted());
    if (answered.contains(requestId)) {
      // Its claim finds the end in the log.
      report(producer, assignment, new Outcome.Completed("stop", 20, 64, 20));
      return;
    }
    report(
        producer,
        assignment,
        new Outcome.Started(Topics.REPLIES, 0, 0, OptionalLong.of(20), OptionalInt.empty()));
    Runnable complete =
        () -> {
          answered.add(requestId);
          report(producer, assignment, new Outcome.Completed("stop", 20, 64, 20));
        };
    if (service.isZero()) {
      complete.run();
    } else {
      var _ = clock.schedule(complete, service.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void readRefusals() {
    List<TopicPartition> replies =
        IntStream.range(0, MeasuredRouter.PARTITIONS)
            .mapToObj(i -> new TopicPartition(Topics.REPLIES, i))
            .toList();
    try (var consumer = consumer()) {
      consumer.assign(replies);
      consumer.seekToBeginning(replies);
      while (!isClosed) {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> refused.add(record.key()));
      }
    }
  }

  private KafkaConsumer<String, byte[]> consumer() {
    return new KafkaConsumer<>(
        Map.of("bootstrap.servers", (Object) kafka, "max.poll.records", 2_000),
        new StringDeserializer(),
        new ByteArrayDeserializer());
  }

  private static void report(
      KafkaProducer<String, byte[]> producer, Assignment assignment, Outcome.Event event) {
    producer.send(
        new ProducerRecord<>(
            Topics.OUTCOMES,
            assignment.requestPartition(),
            assignment.lease().requestId(),
            new Outcome(assignment.lease(), event).toJson()));
  }

  private WorkerSnapshot snapshot(String id, int sequence) {
    return new WorkerSnapshot(
        id,
        "boot",
        sequence,
        List.of("m"),
        Optional.empty(),
        List.of(),
        16_384,
        100_000_000,
        0,
        OptionalDouble.of(0.3),
        0,
        0,
        slots,
        Map.of(),
        false,
        true,
        EnginePace.UNKNOWN,
        EngineTraits.NONE,
        "measure");
  }
}
