package io.sluice.worker.reply;

import io.sluice.common.reply.ReplyHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** A consumer of one partition in memory, which can be read again and again. */
final class LogConsumer extends MockConsumer<String, byte[]> {
  private final TopicPartition partition;
  private final List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
  private Runnable beforeFirstPoll = () -> {};
  private int recordsRead;

  LogConsumer(TopicPartition partition) {
    super("earliest");
    this.partition = partition;
    updateBeginningOffsets(Map.of(partition, 0L));
  }

  /** Appends a record at the next offset; offsets are times, too. */
  synchronized void append(ReplyHeaders headers, String text) {
    var written = new RecordHeaders();
    headers.writeTo(written);
    byte[] value =
        ("{\"choices\":[{\"delta\":{\"content\":\"" + text + "\"}}]}")
            .getBytes(StandardCharsets.UTF_8);
    records.add(
        new ConsumerRecord<>(
            partition.topic(),
            partition.partition(),
            records.size(),
            records.size(),
            TimestampType.LOG_APPEND_TIME,
            0,
            0,
            headers.requestId(),
            value,
            written,
            Optional.empty()));
    updateEndOffsets(Map.of(partition, (long) records.size()));
  }

  synchronized void beforeFirstPoll(Runnable event) {
    beforeFirstPoll = event;
  }

  synchronized int recordsRead() {
    return recordsRead;
  }

  @Override
  public synchronized ConsumerRecords<String, byte[]> poll(Duration timeout) {
    beforeFirstPoll.run();
    beforeFirstPoll = () -> {};
    super.poll(Duration.ZERO);
    int from = (int) position(partition);
    int to = Math.min(records.size(), from + 7);
    if (to <= from) {
      // As a real poll waits for records; a reader in a busy loop would take a processor for good.
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
    }
    seek(partition, to);
    recordsRead += to - from;
    return new ConsumerRecords<>(Map.of(partition, records.subList(from, to)), Map.of());
  }

  @Override
  public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
      Map<TopicPartition, Long> times, Duration timeout) {
    long time = times.get(partition);
    return time < records.size() ? Map.of(partition, new OffsetAndTimestamp(time, time)) : Map.of();
  }

  @Override
  public synchronized Map<TopicPartition, Long> endOffsets(
      java.util.Collection<TopicPartition> partitions, Duration timeout) {
    return endOffsets(partitions);
  }

  @Override
  public synchronized long position(TopicPartition which, Duration timeout) {
    return position(which);
  }
}
