package io.sluice.router.bulk;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves parked requests into their lanes: reads their records again and sends them. A partition of
 * a lane that does not answer or could not be sent to, and a partition of the bulk topic that could
 * not be read, rests meanwhile, so that it does not hold up others and gets nothing out of turn. A
 * partition of a lane that was away first gets a single request whose answer is not waited for, so
 * one that still does not answer does not hold up others either. For one thread.
 */
final class BulkEntrance implements AutoCloseable {
  /** What failed is tried again after this time. */
  static final Duration REST = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(BulkEntrance.class);

  private final BulkRecords records;
  private final RecentRecords recent;
  private final Producer<byte[], byte[]> producer;
  private final BulkAllowance allowance;

  private final Map<ParkedRequest, Entering> underWay = new LinkedHashMap<>();

  /** Requests that have to wait for a later batch. */
  private final List<ParkedRequest> postponed = new ArrayList<>();

  /** When a place failed, epoch milliseconds. */
  private final Map<RestingPlace, Long> failures = new HashMap<>();

  /** The partitions of lanes that were away and have taken nothing since. */
  private final Set<RestingPlace> doubtful = new HashSet<>();

  /** What happened to requests that were to enter. */
  record Settled(List<ParkedRequest> entered, List<ParkedRequest> notEntered) {}

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
    var entering = new EnteringBatch(read(batch), producer, allowance, doubtful, nowEpochMillis);
    for (ParkedRequest request : batch) {
      entering
          .enter(request)
          .ifPresentOrElse(sent -> underWay.put(request, sent), () -> postponed.add(request));
    }
    entering.await();
  }

  /** Returns what happened to requests since the last call, at once. */
  Settled settle(long nowEpochMillis) {
    var settled = new Settled(new ArrayList<>(), new ArrayList<>(postponed));
    postponed.clear();
    Map<RestingPlace, String> reasons = new HashMap<>();
    underWay.forEach(
        (request, entering) -> {
          switch (entering.answer().state()) {
            case RUNNING -> {}
            case SUCCESS -> {
              settled.entered().add(request);
              doubtful.remove(entering.place());
            }
            case FAILED, CANCELLED -> {
              settled.notEntered().add(request);
              reasons.put(
                  entering.place(), String.valueOf(entering.answer().exceptionNow().getMessage()));
              if (entering.isPlaceAway() && entering.place() instanceof RestingPlace.Target) {
                doubtful.add(entering.place());
              }
            }
          }
        });
    reasons.forEach(
        (place, reason) -> {
          failures.put(place, nowEpochMillis);
          log.warn(
              "event=bulk_not_entered at={} effect=\"tried again in {} s; other bulk continues\" reason=\"{}\"",
              place,
              REST.toSeconds(),
              reason);
        });
    underWay.keySet().removeAll(settled.entered());
    underWay.keySet().removeAll(settled.notEntered());
    return settled;
  }

  /** Returns whether no request is on its way. */
  boolean isEmpty() {
    return underWay.isEmpty();
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
    doubtful.removeIf(place -> !place.isWithin(partitions));
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
    recent.clear();
    try (records) {
      producer.close(BulkFeeder.CLOSE_WITHIN);
    }
  }
}
