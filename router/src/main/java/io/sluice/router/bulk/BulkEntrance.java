package io.sluice.router.bulk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves parked requests into their lanes: reads their records again and sends them. For one thread.
 */
final class BulkEntrance implements AutoCloseable {
  private static final long ACKNOWLEDGE_MILLIS = 30_000;
  private static final Logger log = LoggerFactory.getLogger(BulkEntrance.class);

  private final BulkRecords records;
  private final RecentRecords recent;
  private final Producer<byte[], byte[]> producer;
  private final BulkAllowance allowance;

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
   * Sends these requests to their lanes, and waits until all are in the log. Requests whose records
   * are gone are skipped. After a failure some may have entered.
   *
   * @throws KafkaException if records could not be read or sent
   */
  void enter(List<ParkedRequest> batch, long nowEpochMillis) {
    Set<String> entering = new HashSet<>();
    try {
      send(batch, entering, nowEpochMillis);
    } catch (RuntimeException e) {
      entering.forEach(allowance::notEntering);
      throw e;
    }
  }

  /**
   * Sends, and waits for Kafka.
   *
   * @param entering receives the ids of those that take up room from now on
   */
  private void send(List<ParkedRequest> batch, Set<String> entering, long now) {
    var found = read(batch);
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (ParkedRequest request : batch) {
      var record = found.get(request);
      if (record == null) {
        log.warn(
            "event=bulk_request_lost partition={} offset={} reason=\"the record is no longer in the topic\" hint=\"set the retention of the topic longer than the longest deadline\"",
            request.partition(),
            request.offset());
      } else {
        WaitingRequest waiting = WaitingRequest.of(record);
        // Before the send, because the request may be in the scheduler at once and count as waiting
        // there.
        allowance.entering(waiting.requestId(), request.line().kind());
        entering.add(waiting.requestId());
        sent.add(producer.send(waiting.entering(request, now)));
      }
    }
    try {
      for (Future<RecordMetadata> each : sent) {
        each.get(ACKNOWLEDGE_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (ExecutionException | TimeoutException e) {
      throw new KafkaException("a bulk request could not be written to its lane", e);
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

  @Override
  public void close() {
    try (records;
        producer) {
      recent.clear();
    }
  }
}
