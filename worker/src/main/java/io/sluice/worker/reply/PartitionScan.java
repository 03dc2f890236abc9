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
 * Reads one reply partition for all the folds that wait for it. While somebody reads, others only
 * queue up; the next round serves all of them in one pass. So the claims that follow a worker's
 * death read a partition two or three times, however many they are. Those that begin far ahead of
 * where a round reads or begins do not wait for it: they have rounds of their own. Thread-safe.
 */
final class PartitionScan {
  private static final Logger log = LoggerFactory.getLogger(PartitionScan.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration LOOK_UP = Duration.ofSeconds(4);

  /** Some tenths of a second's reading. */
  private static final long FAR_RECORDS = 20_000;

  private final TopicPartition partition;
  private final ScanConsumers consumers;
  private final Lane main = new Lane();
  private final Lane ahead = new Lane();

  /** Rounds that follow each other; guarded by the scan, but for where its reader is. */
  private static final class Lane {
    final List<PartitionFold> waiting = new ArrayList<>();
    boolean isRead;

    /** Nothing is ahead of a lane that does not read yet. */
    volatile long readTo = Long.MAX_VALUE;

    boolean isFarBehind(long position) {
      return position - FAR_RECORDS > readTo;
    }
  }

  PartitionScan(TopicPartition partition, ScanConsumers consumers) {
    this.partition = partition;
    this.consumers = consumers;
  }

  /** Queues a fold up, and sees to it that somebody reads. */
  void add(PartitionFold fold) {
    queue(fold, main.isFarBehind(fold.position()) ? ahead : main);
  }

  private void queue(PartitionFold fold, Lane lane) {
    synchronized (this) {
      lane.waiting.add(fold);
      if (lane.isRead) {
        return;
      }
      lane.isRead = true;
    }
    Thread.ofVirtual().name("scan-" + partition).start(() -> read(lane));
  }

  /** How many folds wait for the next round. */
  synchronized int waiting() {
    return Stream.of(main, ahead).mapToInt(lane -> lane.waiting.size()).sum();
  }

  private void read(Lane lane) {
    for (List<PartitionFold> round = next(lane); !round.isEmpty(); round = next(lane)) {
      List<PartitionFold> folds = new ArrayList<>(round);
      try {
        consumers.lend(consumer -> read(consumer, folds, lane));
      } catch (InterruptedException | RuntimeException e) {
        log.warn("event=reply_scan_failed partition={} reason=\"{}\"", partition, e.getMessage());
        folds.forEach(fold -> fold.fail(e));
      }
    }
  }

  private synchronized List<PartitionFold> next(Lane lane) {
    List<PartitionFold> round = List.copyOf(lane.waiting);
    lane.waiting.clear();
    lane.isRead = !round.isEmpty();
    lane.readTo = Long.MAX_VALUE;
    return round;
  }

  private void read(Consumer<String, byte[]> consumer, List<PartitionFold> folds, Lane lane) {
    consumer.assign(List.of(partition));
    begin(consumer, folds);
    long start = folds.stream().mapToLong(PartitionFold::position).min().orElseThrow();
    lane.readTo = start;
    if (lane == main) {
      passOn(folds);
    }
    folds.forEach(PartitionFold::start);
    Map<String, List<PartitionFold>> open = new HashMap<>();
    folds.forEach(
        fold -> open.computeIfAbsent(fold.requestId(), id -> new ArrayList<>()).add(fold));
    consumer.seek(partition, start);
    while (true) {
      long readTo = consumer.position(partition, LOOK_UP);
      lane.readTo = readTo;
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

  /** What begins far ahead is not made to wait for all that is before it. */
  private void passOn(List<PartitionFold> folds) {
    List<PartitionFold> far =
        folds.stream().filter(fold -> main.isFarBehind(fold.position())).toList();
    folds.removeAll(far);
    far.forEach(fold -> queue(fold, ahead));
  }

  /** One look at the log's start, one at its end and one at its times serve all. */
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
