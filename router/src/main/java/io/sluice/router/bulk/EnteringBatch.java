package io.sluice.router.bulk;

import io.sluice.common.kafka.RecordSend;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parked requests that are sent into their lanes together. For one thread. */
final class EnteringBatch {
  /** A lane that takes longer rests until it answers; the producer sees to it that it does. */
  private static final long ANSWERED_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Logger log = LoggerFactory.getLogger(EnteringBatch.class);

  private final BulkRecords.Reading reading;
  private final Producer<byte[], byte[]> producer;
  private final BulkAllowance allowance;
  private final Set<RestingPlace> doubtful;
  private final long nowEpochMillis;
  private final List<Sent> sent = new ArrayList<>();
  private final Map<String, Future<?>> lanes = new HashMap<>();

  /** The partitions of lanes that get no further request of this batch. */
  private final Set<RestingPlace> shut = new HashSet<>();

  private boolean isBufferFull;

  /** What takes up room. */
  private record Sent(String requestId, Future<?> answer, boolean isProbe) {}

  /**
   * Creates a batch of which nothing is sent yet.
   *
   * @param reading the records of its requests
   * @param doubtful the partitions of lanes that were away and have taken nothing since; each gets
   *     one request as a probe, whose answer is not waited for
   */
  EnteringBatch(
      BulkRecords.Reading reading,
      Producer<byte[], byte[]> producer,
      BulkAllowance allowance,
      Set<RestingPlace> doubtful,
      long nowEpochMillis) {
    this.reading = reading;
    this.producer = producer;
    this.allowance = allowance;
    this.doubtful = doubtful;
    this.nowEpochMillis = nowEpochMillis;
  }

  /** Sends one request. Returns empty if it has to wait for a later batch. */
  Optional<Entering> enter(ParkedRequest request) {
    RestingPlace target = RestingPlace.targetOf(request);
    if (isBufferFull || shut.contains(target)) {
      return Optional.empty();
    }
    if (reading.unread().contains(request)) {
      var unread = new KafkaException("its record cannot be read again; check Kafka");
      return Optional.of(Entering.failed(RestingPlace.sourceOf(request), unread));
    }
    var record = reading.found().get(request);
    if (record == null) {
      log.warn(
          "event=bulk_request_lost partition={} offset={} reason=\"the record is no longer in the topic\" hint=\"set the retention of the topic longer than the longest deadline\"",
          request.partition(),
          request.offset());
      return Optional.of(
          new Entering(RestingPlace.sourceOf(request), CompletableFuture.completedFuture(null)));
    }
    Future<?> lane = lanes.computeIfAbsent(WaitingRequest.topicOf(request), this::lookUp);
    if (lane.state() == Future.State.FAILED) {
      return Optional.of(new Entering(RestingPlace.laneOf(request), lane));
    }
    Future<?> answer = send(request, record);
    if (isExhausted(answer)) {
      // The producer has waited for room as long as it may block, and would for the next record.
      isBufferFull = true;
      log.warn(
          "event=bulk_batch_cut effect=\"the rest of the batch enters with the next one\" reason=\"{}\"",
          answer.exceptionNow().getMessage());
      return Optional.empty();
    }
    var entering = new Entering(target, answer);
    if (doubtful.contains(target) || entering.isPlaceAway()) {
      // The producer has waited for what it knows of the partition, and would for the next record.
      shut.add(target);
    }
    return Optional.of(entering);
  }

  /**
   * Fails if the producer does not learn of a lane. It waits for that as long as it may block, so
   * this is done once for all partitions. Afterwards a failure to send is about one partition.
   */
  private Future<?> lookUp(String topic) {
    try {
      return CompletableFuture.completedFuture(producer.partitionsFor(topic));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private Future<?> send(ParkedRequest request, ConsumerRecord<byte[], byte[]> record) {
    if (request.isUnread()) {
      return send(() -> WaitingRequest.unread(record, request));
    }
    WaitingRequest waiting;
    try {
      waiting = WaitingRequest.of(record);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    // Before the send, because the request may be in the scheduler at once and count as waiting
    // there.
    allowance.entering(waiting.requestId(), request.line().kind(), request.contextTokens());
    Future<?> answer = send(() -> waiting.entering(request, nowEpochMillis));
    boolean isProbe = doubtful.contains(RestingPlace.targetOf(request));
    sent.add(new Sent(waiting.requestId(), answer, isProbe));
    return answer;
  }

  private Future<?> send(Supplier<ProducerRecord<byte[], byte[]>> record) {
    try {
      return RecordSend.send(producer, record.get());
    } catch (RuntimeException e) { // The record cannot be made.
      return CompletableFuture.failedFuture(e);
    }
  }

  private static boolean isExhausted(Future<?> answer) {
    return answer.state() == Future.State.FAILED
        && answer.exceptionNow() instanceof BufferExhaustedException;
  }

  /** Waits a moment for the answers. */
  void await() {
    long end = System.nanoTime() + ANSWERED_WITHIN_NANOS;
    for (Sent each : sent) {
      try {
        long left = each.isProbe() ? 0 : end - System.nanoTime();
        each.answer().get(left, TimeUnit.NANOSECONDS);
      } catch (ExecutionException | TimeoutException e) {
        // The room that it would take is for others now.
        allowance.notEntering(each.requestId());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
