package io.sluice.worker.reply;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one reply partition for all the folds that wait for it. While somebody reads, others only
 * queue up; the next round serves all of them in one pass. So the claims that follow a worker's
 * death read a partition two or three times, however many they are. Thread-safe.
 */
final class PartitionScan {
  private static final Logger log = LoggerFactory.getLogger(PartitionScan.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration LOOK_UP = Duration.ofSeconds(4);

  private final TopicPartition partition;
  private final ScanConsumers consumers;
  private final List<PartitionFold> waiting = new ArrayList<>();
  private boolean isRead;

  PartitionScan(TopicPartition partition, ScanConsumers consumers) {
    this.partition = partition;
    this.consumers = consumers;
  }

  /** Queues a fold up, and sees to it that somebody reads. */
  void add(PartitionFold fold) {
    synchronized (this) {
      waiting.add(fold);
      if (isRead) {
        return;
      }
      isRead = true;
    }
    Thread.ofVirtual().name("scan-" + partition).start(this::read);
  }

  /** How many folds wait for the next round. */
  synchronized int waiting() {
    return waiting.size();
  }

  private void read() {
    for (List<PartitionFold> round = next(); !round.isEmpty(); round = next()) {
      List<PartitionFold> folds = round;
      try {
        consumers.lend(consumer -> read(consumer, folds));
      } catch (InterruptedException | RuntimeException e) {
        log.warn("event=reply_scan_failed partition={} reason=\"{}\"", partition, e.getMessage());
        folds.forEach(fold -> fold.fail(e));
      }
    }
  }

  private synchronized List<PartitionFold> next() {
    List<PartitionFold> round = List.copyOf(waiting);
    waiting.clear();
    isRead = !round.isEmpty();
    return round;
  }

  private void read(Consumer<String, byte[]> consumer, List<PartitionFold> folds) {
    consumer.assign(List.of(partition));
    begin(consumer, folds);
    Map<String, List<PartitionFold>> open = new HashMap<>();
    folds.forEach(
        fold -> open.computeIfAbsent(fold.requestId(), id -> new ArrayList<>()).add(fold));
    consumer.seek(partition, folds.stream().mapToLong(PartitionFold::position).min().orElseThrow());
    while (true) {
      long readTo = consumer.position(partition, LOOK_UP);
      open.values().forEach(ofRequest -> ofRequest.removeIf(fold -> fold.isOver(readTo)));
      open.values().removeIf(List::isEmpty);
      if (open.isEmpty()) {
        return;
      }
      for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
        HeaderText.get(record.headers(), HeaderNames.REQUEST_ID)
            .map(open::get)
            .ifPresent(ofRequest -> ofRequest.forEach(fold -> fold.take(record)));
      }
    }
  }

  /** One look at the log's end and one at its times serve all. */
  private void begin(Consumer<String, byte[]> consumer, List<PartitionFold> folds) {
    OptionalLong fromTime =
        folds.stream().flatMapToLong(fold -> fold.fromTimeMillis().stream()).min();
    long end =
        fromTime.isPresent() || folds.stream().anyMatch(PartitionFold::wantsLogEnd)
            ? consumer.endOffsets(List.of(partition), LOOK_UP).getOrDefault(partition, 0L)
            : 0;
    long start = fromTime.isPresent() ? offsetAt(consumer, fromTime.getAsLong(), end) : end;
    folds.forEach(fold -> fold.begin(start, end));
  }

  private long offsetAt(Consumer<String, byte[]> consumer, long timeMillis, long end) {
    OffsetAndTimestamp found =
        consumer.offsetsForTimes(Map.of(partition, timeMillis), LOOK_UP).get(partition);
    return found == null ? end : found.offset();
  }
}
