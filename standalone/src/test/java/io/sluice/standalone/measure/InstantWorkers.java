package io.sluice.standalone.measure;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Eight workers without engines: each accepts and starts its requests at once, and completes them
 * after a fixed time. Counts the results. Thread-safe.
 */
final class InstantWorkers implements AutoCloseable {
  /** The slots of workers that are never full. */
  static final int ANY_SLOTS = 100_000;

  private static final int WORKERS = 8;
  private static final Duration REACHABLE_WITHIN = Duration.ofSeconds(60);

  private final Duration service;
  private final LongConsumer onAssigned;
  private final EnginelessFleet fleet;
  private final KafkaProducer<String, byte[]> producer;
  private final ScheduledExecutorService clock =
      Executors.newScheduledThreadPool(2, Thread.ofPlatform().daemon().factory());
  private final Set<String> sent = ConcurrentHashMap.newKeySet();
  private final Set<String> assigned = ConcurrentHashMap.newKeySet();
  private final Set<String> answered = ConcurrentHashMap.newKeySet();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private final AtomicInteger assignments = new AtomicInteger();

  /**
   * Starts the workers.
   *
   * @param onAssigned receives, for each assignment, the milliseconds since its request was
   *     appended
   */
  InstantWorkers(String kafka, String redis, int slots, Duration service, LongConsumer onAssigned) {
    this.service = service;
    this.onAssigned = onAssigned;
    this.producer = Producers.open(kafka, 1);
    this.fleet =
        new EnginelessFleet(
            kafka,
            redis,
            new EnginelessFleet.Shape(WORKERS, slots, List.of("m")),
            worker -> Map.of());
    fleet.start(this::serve);
    fleet.read(
        IntStream.range(0, MeasuredRouter.PARTITIONS)
            .mapToObj(i -> new TopicPartition(Topics.REPLIES, i))
            .toList(),
        reply -> refused.add(reply.key()));
  }

  /** Sends requests until the first one is answered, then discards their results. */
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

  /** Returns the number of requests that have not ended. */
  int open() {
    return (int)
        sent.stream().filter(id -> !answered.contains(id) && !refused.contains(id)).count();
  }

  int assignedAgain() {
    return assignments.get() - assigned.size();
  }

  @Override
  public void close() {
    fleet.close();
    clock.shutdownNow();
    producer.close();
  }

  private void serve(ConsumerRecord<String, byte[]> record) {
    Assignment.parse(record.headers())
        .ifPresent(
            assignment -> {
              serve(assignment);
              onAssigned.accept(record.timestamp() - assignment.appendTimeMillis());
            });
  }

  private void serve(Assignment assignment) {
    String requestId = assignment.lease().requestId();
    assignments.incrementAndGet();
    assigned.add(requestId);
    report(assignment, new Outcome.Accepted());
    if (answered.contains(requestId)) {
      // Its claim finds the end in the log.
      report(assignment, new Outcome.Completed("stop", 20, 64, 20));
      return;
    }
    report(
        assignment,
        new Outcome.Started(Topics.REPLIES, 0, 0, OptionalLong.of(20), OptionalInt.empty()));
    Runnable complete =
        () -> {
          answered.add(requestId);
          report(assignment, new Outcome.Completed("stop", 20, 64, 20));
        };
    if (service.isZero()) {
      complete.run();
    } else {
      var _ = clock.schedule(complete, service.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void report(Assignment assignment, Outcome.Event event) {
    producer.send(
        new ProducerRecord<>(
            Topics.OUTCOMES,
            assignment.requestPartition(),
            assignment.lease().requestId(),
            new Outcome(assignment.lease(), event).toJson()));
  }
}
