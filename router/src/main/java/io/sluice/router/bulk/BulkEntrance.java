package io.sluice.router.bulk;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves parked requests into their lanes: reads their records again and sends them. A partition of
 * a lane that does not answer or could not be sent to, and a partition of the bulk topic that could
 * not be read, rests meanwhile, so that it holds up no other and is sent nothing out of turn. For
 * one thread.
 */
final class BulkEntrance implements AutoCloseable {
  /** What failed is tried again after this time. */
  static final Duration REST = Duration.ofSeconds(10);

  /** A lane that takes longer rests until it answers; the producer sees to it that it does. */
  private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(BulkEntrance.class);

  private final BulkRecords records;
  private final RecentRecords recent;
  private final Producer<byte[], byte[]> producer;
  private final BulkAllowance allowance;

  private final Map<ParkedRequest, Entering> underWay = new LinkedHashMap<>();

  /** When a place failed, epoch milliseconds. */
  private final Map<RestingPlace, Long> failures = new HashMap<>();

  /**
   * A request on its way.
   *
   * @param place rests until there is an answer, and for a while if the answer is a failure
   * @param answer completes when the request is in its lane, or need not be; fails if it could not
   *     be put there
   */
  private record Entering(RestingPlace place, Future<?> answer) {}

  private record Sent(String requestId, Future<?> answer) {}

  /** What became of requests that were to enter. */
  record Settled(List<ParkedRequest> entered, List<ParkedRequest> failed) {}

  /**
   * Creates an entrance.
   *
   * @param records owned by this entrance from now on, like the producer
   * @param recent where a record is looked up first
   */
  BulkEntrance(
      BulkRecords records,
      RecentRecords recent,
      Producer<byte[], byte[]> producer,
      BulkAllowance allowance) {
    this.records = records;
    this.recent = recent;
    this.producer = producer;
    this.allowance = allowance;
  }

  /**
   * Sends these requests to their lanes, and waits a moment until they are there; {@link #settle}
   * tells. Requests whose records are gone are skipped.
   *
   * @throws KafkaException if the records could not be read; nothing was sent then
   */
  void enter(List<ParkedRequest> batch, long nowEpochMillis) {
    BulkRecords.Reading reading = read(batch);
    List<Sent> sent = new ArrayList<>();
    Map<RestingPlace, Entering> refused = new HashMap<>();
    for (ParkedRequest request : batch) {
      var record = reading.found().get(request);
      Entering entering = refused.get(RestingPlace.laneOf(request));
      if (reading.unread().contains(request)) {
        entering =
            new Entering(
                RestingPlace.sourceOf(request),
                CompletableFuture.failedFuture(
                    new KafkaException("its record cannot be read again; check Kafka")));
      } else if (record == null) {
        log.warn(
            "event=bulk_request_lost partition={} offset={} reason=\"the record is no longer in the topic\" hint=\"set the retention of the topic longer than the longest deadline\"",
            request.partition(),
            request.offset());
        entering =
            new Entering(RestingPlace.targetOf(request), CompletableFuture.completedFuture(null));
      } else if (entering == null) {
        entering = enter(request, record, nowEpochMillis, sent);
        if (entering.place() instanceof RestingPlace.Lane) {
          refused.put(entering.place(), entering);
        }
      }
      underWay.put(request, entering);
    }
    await(sent);
  }

  /**
   * Sends one request.
   *
   * @param sent receives it if it takes up room
   */
  private Entering enter(
      ParkedRequest request, ConsumerRecord<byte[], byte[]> record, long now, List<Sent> sent) {
    if (request.isUnread()) {
      return entering(request, send(() -> WaitingRequest.unread(record, request)));
    }
    WaitingRequest waiting;
    try {
      waiting = WaitingRequest.of(record);
    } catch (RuntimeException e) {
      return entering(request, CompletableFuture.failedFuture(e));
    }
    // Before the send, because the request may be in the scheduler at once and count as waiting
    // there.
    allowance.entering(waiting.requestId(), request.line().kind(), request.contextTokens());
    Future<?> answer = send(() -> waiting.entering(request, now));
    sent.add(new Sent(waiting.requestId(), answer));
    return entering(request, answer);
  }

  private static Entering entering(ParkedRequest request, Future<?> answer) {
    // What fails so at once lacks the topic's metadata, and the producer has waited for seconds.
    boolean isLaneUnknown =
        answer.state() == Future.State.FAILED
            && answer.exceptionNow() instanceof RetriableException;
    return new Entering(
        isLaneUnknown ? RestingPlace.laneOf(request) : RestingPlace.targetOf(request), answer);
  }

  private Future<?> send(Supplier<ProducerRecord<byte[], byte[]>> record) {
    try {
      return producer.send(record.get());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void await(List<Sent> sent) {
    long end = System.nanoTime() + ANSWERED_WITHIN.toNanos();
    for (Sent each : sent) {
      try {
        each.answer().get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (ExecutionException | TimeoutException e) {
        // The room that it would take is for others now.
        allowance.notEntering(each.requestId());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Returns what became of requests since the last call, at once. */
  Settled settle(long nowEpochMillis) {
    var settled = new Settled(new ArrayList<>(), new ArrayList<>());
    Map<RestingPlace, String> reasons = new HashMap<>();
    underWay.forEach(
        (request, entering) -> {
          switch (entering.answer().state()) {
            case RUNNING -> {}
            case SUCCESS -> settled.entered().add(request);
            case FAILED, CANCELLED -> {
              settled.failed().add(request);
              reasons.put(
                  entering.place(), String.valueOf(entering.answer().exceptionNow().getMessage()));
            }
          }
        });
    reasons.forEach(
        (place, reason) -> {
          failures.put(place, nowEpochMillis);
          log.warn(
              "event=bulk_not_entered at={} effect=\"tried again in {} s; other bulk goes on\" reason=\"{}\"",
              place,
              REST.toSeconds(),
              reason);
        });
    underWay.keySet().removeAll(settled.entered());
    underWay.keySet().removeAll(settled.failed());
    return settled;
  }

  /** Where nothing is to leave or enter now. */
  Set<RestingPlace> resting(long nowEpochMillis) {
    failures.values().removeIf(since -> nowEpochMillis - since >= REST.toMillis());
    Set<RestingPlace> resting = new HashSet<>(failures.keySet());
    underWay.values().forEach(entering -> resting.add(entering.place()));
    return resting;
  }

  /** Forgets all other partitions. What is under way there belongs to their next feeder. */
  void keep(Set<Integer> partitions) {
    underWay.keySet().removeIf(request -> !partitions.contains(request.partition()));
    failures.keySet().removeIf(place -> !place.isWithin(partitions));
  }

  private BulkRecords.Reading read(List<ParkedRequest> batch) {
    Map<ParkedRequest, ConsumerRecord<byte[], byte[]>> found = new HashMap<>();
    batch.forEach(request -> recent.take(request).ifPresent(known -> found.put(request, known)));
    List<ParkedRequest> others =
        batch.stream().filter(request -> !found.containsKey(request)).toList();
    if (others.isEmpty()) {
      return new BulkRecords.Reading(found, Set.of());
    }
    BulkRecords.Reading read = records.read(others);
    found.putAll(read.found());
    return new BulkRecords.Reading(found, read.unread());
  }

  @Override
  public void close() {
    try (records;
        producer) {
      recent.clear();
    }
  }
}
