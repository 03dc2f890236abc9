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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Workers without engines that answer every assignment as soon as it comes. */
final class EagerWorkers {
  private static final int SLOTS = 100_000;

  private final String kafka;
  private final int partitions;
  private final LongConsumer onAssigned;

  /**
   * None yet.
   *
   * @param onAssigned is told of each assignment how many milliseconds after its request's append
   *     it came
   */
  EagerWorkers(String kafka, int partitions, LongConsumer onAssigned) {
    this.kafka = kafka;
    this.partitions = partitions;
    this.onAssigned = onAssigned;
  }

  /** Starts so many, as daemons. */
  void start(String redis, int count) {
    var registry = new RedisFleetRegistry(RedisConnection.open(redis), "default");
    List<String> ids = IntStream.range(0, count).mapToObj(i -> "w" + i).toList();
    try (var admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
      var topics = new PoolTopics(Lanes.standard(), partitions, (short) 1);
      ids.forEach(id -> topics.createWorkerTopic(admin, id));
    }
    AtomicInteger sequence = new AtomicInteger();
    var _ =
        Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory())
            .scheduleAtFixedRate(
                () -> {
                  int next = sequence.incrementAndGet();
                  ids.forEach(id -> registry.publish(snapshot(id, next)));
                },
                0,
                250,
                TimeUnit.MILLISECONDS);
    Thread.ofPlatform().daemon().start(() -> answer(ids));
  }

  /** Answers every assignment as soon as it comes. */
  private void answer(List<String> ids) {
    try (var consumer =
            new KafkaConsumer<>(
                Map.of(
                    "bootstrap.servers",
                    (Object) kafka,
                    "enable.auto.commit",
                    false,
                    "max.poll.records",
                    2_000),
                new StringDeserializer(),
                new ByteArrayDeserializer());
        var producer = producer()) {
      List<TopicPartition> topics = new ArrayList<>();
      ids.forEach(id -> topics.add(new TopicPartition(Topics.worker(id), 0)));
      consumer.assign(topics);
      consumer.seekToBeginning(topics);
      while (true) {
        for (var record : consumer.poll(Duration.ofMillis(100))) {
          Assignment.parse(record.headers())
              .ifPresent(
                  assignment -> {
                    report(producer, assignment, new Outcome.Accepted());
                    report(
                        producer,
                        assignment,
                        new Outcome.Started(
                            Topics.REPLIES, 0, 0, OptionalLong.of(20), OptionalInt.empty()));
                    report(producer, assignment, new Outcome.Completed("stop", 400, 64, 20));
                    onAssigned.accept(record.timestamp() - assignment.appendTimeMillis());
                  });
        }
      }
    }
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

  private KafkaProducer<String, byte[]> producer() {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", kafka, "linger.ms", 1),
        new StringSerializer(),
        new ByteArraySerializer());
  }

  private static WorkerSnapshot snapshot(String id, int sequence) {
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
        10,
        0,
        SLOTS,
        Map.of(),
        false,
        true,
        EnginePace.UNKNOWN,
        EngineTraits.NONE,
        "measure");
  }
}
