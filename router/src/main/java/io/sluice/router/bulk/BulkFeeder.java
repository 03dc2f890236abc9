package io.sluice.router.bulk;

import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.Topics;
import io.sluice.router.schedule.RequestFacts;
import io.sluice.router.schedule.RequestReader;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves requests from the bulk topic into the same partition of their lane, no more than {@link
 * BulkAllowance} says, so that the bulk backlog stays in its own topic. The next one enters anyway,
 * as an interactive request, once it has no more time to spare. It reads just the partitions that
 * this process schedules: what it feeds is seen, and counted, by a task beside it.
 *
 * <p>Every record is passed on at least once, with its id kept; the task that owns the id drops
 * repeats. One thread.
 */
public final class BulkFeeder implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(5);
  private static final long ACKNOWLEDGE_MILLIS = 30_000;
  private static final Logger log = LoggerFactory.getLogger(BulkFeeder.class);

  private final Consumer<byte[], byte[]> consumer;
  private final Producer<byte[], byte[]> producer;
  private final RequestReader reader;
  private final Supplier<Set<Integer>> partitions;
  private final IntSupplier allowance;
  private final Clock clock;
  private final Deque<WaitingRequest> held = new ArrayDeque<>();
  private final Thread thread;
  private volatile boolean closed;

  /**
   * Starts to feed.
   *
   * @param consumer becomes this feeder's own, as does the producer
   * @param partitions those that this process schedules now
   * @param allowance how many more requests may enter now
   */
  public BulkFeeder(
      Consumer<byte[], byte[]> consumer,
      Producer<byte[], byte[]> producer,
      RequestReader reader,
      Supplier<Set<Integer>> partitions,
      IntSupplier allowance,
      Clock clock) {
    this.consumer = consumer;
    this.producer = producer;
    this.reader = reader;
    this.partitions = partitions;
    this.allowance = allowance;
    this.clock = clock;
    this.thread = Thread.ofPlatform().daemon().name("bulk-feeder").start(this::run);
  }

  @Override
  public void close() {
    closed = true;
    consumer.wakeup();
    try {
      if (!thread.join(STOP_WITHIN)) {
        log.warn("event=bulk_feeder_not_stopped waited={}", STOP_WITHIN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try (consumer;
        producer) {
      while (!closed) {
        try {
          round();
        } catch (WakeupException e) {
          log.debug("event=bulk_feeder_woken");
        } catch (RuntimeException e) {
          log.warn(
              "event=bulk_feeding_failed effect=\"tried again\" reason=\"{}\"", e.getMessage());
          startOver();
        }
      }
    }
  }

  private void round() {
    assign();
    Set<TopicPartition> assigned = consumer.assignment();
    if (assigned.isEmpty()) {
      pause(POLL);
      return;
    }
    if (held.isEmpty()) {
      consumer.resume(assigned);
    } else {
      consumer.pause(assigned);
    }
    consumer.poll(POLL).forEach(record -> held.add(WaitingRequest.of(record)));
    List<WaitingRequest> batch = new ArrayList<>();
    int left = allowance.getAsInt();
    while (!held.isEmpty() && (left > 0 || held.element().isHurried(clock.millis()))) {
      batch.add(held.remove());
      left--;
    }
    if (!batch.isEmpty()) {
      feed(batch);
    }
  }

  /**
   * Follows the tasks of this process; what stays keeps its position, what is new starts from its
   * committed offset.
   */
  private void assign() {
    Set<TopicPartition> wanted =
        partitions.get().stream()
            .map(partition -> new TopicPartition(Topics.BULK, partition))
            .collect(Collectors.toSet());
    if (!wanted.equals(consumer.assignment())) {
      consumer.assign(wanted);
      held.removeIf(request -> !wanted.contains(request.partition()));
    }
  }

  /** Sends, waits until all is in the log, and only then commits. */
  private void feed(List<WaitingRequest> batch) {
    List<Future<RecordMetadata>> sent = batch.stream().map(this::send).toList();
    Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
    try {
      for (int i = 0; i < sent.size(); i++) {
        sent.get(i).get(ACKNOWLEDGE_MILLIS, TimeUnit.MILLISECONDS);
        WaitingRequest request = batch.get(i);
        next.put(request.partition(), new OffsetAndMetadata(request.record().offset() + 1));
      }
    } catch (ExecutionException | TimeoutException e) {
      throw new KafkaException("a bulk request could not be passed on", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted", e);
    }
    consumer.commitSync(next);
  }

  private Future<RecordMetadata> send(WaitingRequest request) {
    ConsumerRecord<byte[], byte[]> record = request.record();
    var source = new RequestFacts.Source(record.topic(), record.partition(), record.offset());
    RequestFacts facts =
        reader.read(source, record.headers(), record.value(), record.timestamp()).facts();
    return producer.send(
        new ProducerRecord<>(
            Topics.requests(Lane.parse(facts.lane())),
            record.partition(),
            request.enteringKey(),
            request.enteringValue(),
            request.entering(facts.requestId(), clock.millis())));
  }

  private void startOver() {
    held.clear();
    consumer.assign(Set.of());
    pause(BACKOFF);
  }

  private void pause(Duration duration) {
    try {
      Thread.sleep(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }
}
