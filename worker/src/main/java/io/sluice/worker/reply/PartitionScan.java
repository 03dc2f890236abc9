package io.sluice.worker.reply;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one reply partition for all folds that wait for it. While a round reads, new folds queue;
 * the next round serves all of them in one pass. So the claims after a worker's death read a
 * partition two or three times, regardless of their number. Folds that begin far ahead of the
 * present round get rounds of their own. Thread-safe.
 */
final class PartitionScan {
  private static final Logger log = LoggerFactory.getLogger(PartitionScan.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration LOOK_UP = Duration.ofSeconds(4);

  /** What is read in some tenths of a second. */
  private static final long FAR_RECORDS = 20_000;

  private final TopicPartition partition;
  private final ScanConsumers consumers;
  private final Reader main = new Reader();
  private final Reader ahead = new Reader();

  /** Consecutive rounds. Guarded by the scan, except for the position of the reader. */
  private static final class Reader {
    final List<PartitionFold> waiting = new ArrayList<>();
    boolean isRead;

    /** The maximum while it does not read: then nothing counts as far ahead of it. */
    volatile long readTo = Long.MAX_VALUE;

    boolean isFarBehind(long position) {
      return position - FAR_RECORDS > readTo;
    }
  }

  PartitionScan(TopicPartition partition, ScanConsumers consumers) {
    this.partition = partition;
    this.consumers = consumers;
  }

  /** Queues a fold and makes sure that a reader runs. */
  void add(PartitionFold fold) {
    queue(fold, main.isFarBehind(fold.position()) ? ahead : main);
  }

  private void queue(PartitionFold fold, Reader reader) {
    synchronized (this) {
      reader.waiting.add(fold);
      if (reader.isRead) {
        return;
      }
      reader.isRead = true;
    }
    Thread.ofVirtual().name("scan-" + partition).start(() -> read(reader));
  }

  /** Returns the number of folds that wait for the next round. */
  synchronized int waiting() {
    return Stream.of(main, ahead).mapToInt(reader -> reader.waiting.size()).sum();
  }

  private void read(Reader reader) {
    for (List<PartitionFold> round = next(reader); !round.isEmpty(); round = next(reader)) {
      List<PartitionFold> folds = new ArrayList<>(round);
      try {
        consumers.lend(consumer -> read(consumer, folds, reader));
      } catch (InterruptedException | RuntimeException e) {
        log.warn("event=reply_scan_failed partition={} reason=\"{}\"", partition, e.getMessage());
        folds.forEach(fold -> fold.fail(e));
      }
    }
  }

  private synchronized List<PartitionFold> next(Reader reader) {
    List<PartitionFold> round = List.copyOf(reader.waiting);
    reader.waiting.clear();
    reader.isRead = !round.isEmpty();
    reader.readTo = Long.MAX_VALUE;
    return round;
  }

  private void read(Consumer<String, byte[]> consumer, List<PartitionFold> folds, Reader reader) {
    consumer.assign(List.of(partition));
    begin(consumer, folds);
    long start = folds.stream().mapToLong(PartitionFold::position).min().orElseThrow();
    reader.readTo = start;
    if (reader == main) {
      moveAhead(folds);
    }
    folds.forEach(PartitionFold::start);
    Map<String, List<PartitionFold>> open = new HashMap<>();
    folds.forEach(
        fold -> open.computeIfAbsent(fold.requestId(), id -> new ArrayList<>()).add(fold));
    consumer.seek(partition, start);
    while (true) {
      long readTo = consumer.position(partition, LOOK_UP);
      reader.readTo = readTo;
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

  /**
   * Moves folds that begin far ahead to the other reader, so that they do not wait for the records
   * before them.
   */
  private void moveAhead(List<PartitionFold> folds) {
    List<PartitionFold> far =
        folds.stream().filter(fold -> main.isFarBehind(fold.position())).toList();
    folds.removeAll(far);
    far.forEach(fold -> queue(fold, ahead));
  }

  /** Looks up the start of the log, its end, and the earliest time, once for all folds. */
  private void begin(Consumer<String, byte[]> consumer, List<PartitionFold> folds) {
    OptionalLong fromTime =
        folds.stream().flatMapToLong(fold -> fold.fromTimeMillis().stream()).min();
    long end =
        fromTime.isPresent() || folds.stream().anyMatch(PartitionFold::wantsLogEnd)
            ? consumer.endOffsets(List.of(partition), LOOK_UP).getOrDefault(partition, 0L)
            : 0;
    long start = fromTime.isPresent() ? offsetAt(consumer, fromTime.getAsLong(), end) : end;
    long logStart =
        folds.stream().anyMatch(PartitionFold::isFirst)
            ? consumer.beginningOffsets(List.of(partition), LOOK_UP).getOrDefault(partition, 0L)
            : 0;
    folds.forEach(fold -> fold.begin(start, logStart, end));
  }

  private long offsetAt(Consumer<String, byte[]> consumer, long timeMillis, long end) {
    OffsetAndTimestamp found =
        consumer.offsetsForTimes(Map.of(partition, timeMillis), LOOK_UP).get(partition);
    return found == null ? end : found.offset();
  }
}
