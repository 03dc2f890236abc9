package io.sluice.router.bulk;

import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.Topics;
import io.sluice.router.schedule.RequestReader;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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
 * BulkAllowance} says, so that the bulk backlog stays in its own topic: what is known of it here is
 * where the records stand ({@link ParkedRequests}), and they are read again when they enter. Those
 * that have no more time to spare enter anyway, as interactive requests. It reads just the
 * partitions that this process schedules: what it feeds is seen, and counted, by a task beside it.
 *
 * <p>Every record is passed on at least once, with its id kept; the task that owns the id drops
 * repeats. One thread.
 */
public final class BulkFeeder implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(5);
  private static final long ACKNOWLEDGE_MILLIS = 30_000;
  private static final int BATCH_REQUESTS = 64;
  private static final int BATCH_BYTES = 8 * 1024 * 1024;
  private static final Logger log = LoggerFactory.getLogger(BulkFeeder.class);

  private final Consumer<byte[], byte[]> consumer;
  private final BulkIntake intake;
  private final BulkRecords records;
  private final Producer<byte[], byte[]> producer;
  private final Supplier<Set<Integer>> partitions;
  private final BulkAllowance allowance;
  private final Clock clock;
  private final ParkedRequests parked = new ParkedRequests();
  private final RecentRecords recent = new RecentRecords();
  private final Thread thread;
  private boolean isBehind;
  private volatile boolean closed;

  /**
   * Starts to feed.
   *
   * @param consumer becomes this feeder's own, as do the second one and the producer
   * @param rereader reads single records again
   * @param partitions those that this process schedules now
   */
  public static BulkFeeder start(
      Consumer<byte[], byte[]> consumer,
      Consumer<byte[], byte[]> rereader,
      Producer<byte[], byte[]> producer,
      RequestReader reader,
      Supplier<Set<Integer>> partitions,
      BulkAllowance allowance,
      Clock clock) {
    return new BulkFeeder(
        consumer, new KafkaBulkRecords(rereader), producer, reader, partitions, allowance, clock);
  }

  BulkFeeder(
      Consumer<byte[], byte[]> consumer,
      BulkRecords records,
      Producer<byte[], byte[]> producer,
      RequestReader reader,
      Supplier<Set<Integer>> partitions,
      BulkAllowance allowance,
      Clock clock) {
    this.consumer = consumer;
    this.intake = new BulkIntake(consumer, reader, parked, recent);
    this.records = records;
    this.producer = producer;
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
    try (intake;
        records;
        producer) {
      while (!closed) {
        try {
          round();
        } catch (WakeupException e) {
          log.debug("event=bulk_feeder_woken");
        } catch (RuntimeException e) {
          log.warn(
              "event=bulk_feeding_failed effect=\"tried again\" reason=\"{}\"", e.getMessage());
          pause(BACKOFF);
        }
      }
    }
  }

  private void round() {
    Set<TopicPartition> wanted =
        partitions.get().stream()
            .map(partition -> new TopicPartition(Topics.BULK, partition))
            .collect(Collectors.toSet());
    intake.assign(wanted);
    if (wanted.isEmpty()) {
      pause(POLL);
      return;
    }
    intake.read(isBehind ? Duration.ZERO : POLL);
    long now = clock.millis();
    List<ParkedRequest> batch = next(now);
    isBehind = batch.size() >= BATCH_REQUESTS;
    if (!batch.isEmpty()) {
      Set<String> entering = new HashSet<>();
      try {
        feed(batch, entering, now);
      } catch (RuntimeException e) {
        entering.forEach(allowance::notEntering);
        batch.forEach(parked::add);
        throw e;
      }
      intake.entered(batch);
    }
  }

  /** Takes out what enters now, no more than can be in memory at a time. */
  private List<ParkedRequest> next(long now) {
    BulkOpenings openings = allowance.openings();
    boolean isShut = allowance.isShut();
    List<ParkedRequest> batch = new ArrayList<>();
    int bytes = 0;
    while (batch.size() < BATCH_REQUESTS && bytes < BATCH_BYTES) {
      Optional<ParkedRequest> due = isShut ? parked.takeLate(now) : parked.takeHurried(now);
      // What cannot wait enters in any case, but takes from the room of the others.
      due.ifPresent(request -> openings.tryTake(request.line().kind(), request.contextTokens()));
      Optional<ParkedRequest> next = due.or(() -> parked.take(openings));
      if (next.isEmpty()) {
        break;
      }
      batch.add(next.get());
      bytes += next.get().bytes();
    }
    return batch;
  }

  /**
   * Sends, and waits until all is in the log.
   *
   * @param entering gets the ids of those that take up room from now on
   */
  private void feed(List<ParkedRequest> batch, Set<String> entering, long now) {
    var found = read(batch);
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (ParkedRequest request : batch) {
      var record = found.get(request);
      if (record == null) {
        log.warn(
            "event=bulk_request_lost partition={} offset={} reason=\"the topic does not hold it any more\" hint=\"let the topic keep records for longer than the longest deadline\"",
            request.partition(),
            request.offset());
      } else {
        WaitingRequest waiting = WaitingRequest.of(record);
        // Before it is sent, for it may be in the scheduler at once, where it counts as waiting.
        allowance.entering(waiting.requestId(), request.line().kind());
        entering.add(waiting.requestId());
        sent.add(send(request, waiting, now));
      }
    }
    try {
      for (Future<RecordMetadata> each : sent) {
        each.get(ACKNOWLEDGE_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (ExecutionException | TimeoutException e) {
      throw new KafkaException("a bulk request could not be passed on", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted", e);
    }
  }

  private Map<ParkedRequest, ConsumerRecord<byte[], byte[]>> read(List<ParkedRequest> batch) {
    Map<ParkedRequest, ConsumerRecord<byte[], byte[]>> found = new HashMap<>();
    batch.forEach(request -> recent.take(request).ifPresent(known -> found.put(request, known)));
    List<ParkedRequest> others =
        batch.stream().filter(request -> !found.containsKey(request)).toList();
    if (!others.isEmpty()) {
      found.putAll(records.read(others));
    }
    return found;
  }

  private Future<RecordMetadata> send(ParkedRequest request, WaitingRequest waiting, long now) {
    ConsumerRecord<byte[], byte[]> record = waiting.record();
    return producer.send(
        new ProducerRecord<>(
            Topics.requests(Lane.parse(request.line().kind().lane())),
            record.partition(),
            waiting.enteringKey(),
            waiting.enteringValue(),
            waiting.entering(now)));
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
