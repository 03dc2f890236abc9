package io.sluice.router.bulk;

import io.sluice.common.protocol.Topics;
import io.sluice.router.schedule.Reading;
import io.sluice.router.schedule.RequestFacts;
import io.sluice.router.schedule.RequestKind;
import io.sluice.router.schedule.RequestReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/**
 * Reads this router's partitions of the bulk topic and parks what it finds. A partition of which
 * many requests are parked is not read on, whatever the others do. Not thread-safe.
 */
final class BulkIntake implements AutoCloseable {
  private static final int MOST_PARKED = 1_000_000;
  private static final int MOST_PARKED_OF_PARTITION = 100_000;

  private final Consumer<byte[], byte[]> consumer;
  private final RequestReader reader;
  private final ParkedRequests parked;
  private final RecentRecords recent;
  private final Map<TopicPartition, ParkedPartition> partitions = new HashMap<>();

  BulkIntake(
      Consumer<byte[], byte[]> consumer,
      RequestReader reader,
      ParkedRequests parked,
      RecentRecords recent) {
    this.consumer = consumer;
    this.reader = reader;
    this.parked = parked;
    this.recent = recent;
  }

  /**
   * Follows the tasks of this process: what stays keeps its place, what is new begins where others
   * left it.
   */
  void assign(Set<TopicPartition> wanted) {
    if (wanted.equals(partitions.keySet())) {
      return;
    }
    Set<TopicPartition> gained = new HashSet<>(wanted);
    gained.removeAll(partitions.keySet());
    Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(gained);
    consumer.assign(wanted);
    List<TopicPartition> lost = new ArrayList<>(partitions.keySet());
    lost.removeAll(wanted);
    for (TopicPartition partition : lost) {
      partitions.remove(partition);
      parked.remove(partition.partition());
      recent.clear();
    }
    for (TopicPartition partition : gained) {
      OffsetAndMetadata known = committed.get(partition);
      EnteredMark mark = known == null ? EnteredMark.NONE : EnteredMark.parse(known.metadata());
      partitions.put(partition, new ParkedPartition(mark));
    }
  }

  /** Parks what has come, waiting for it if need be. */
  void read(Duration atMost) {
    int most = Math.clamp(MOST_PARKED / partitions.size(), 1, MOST_PARKED_OF_PARTITION);
    Set<TopicPartition> full = new HashSet<>(partitions.keySet());
    full.removeIf(partition -> partition(partition).open() < most);
    Set<TopicPartition> others = new HashSet<>(partitions.keySet());
    others.removeAll(full);
    consumer.pause(full);
    consumer.resume(others);
    consumer.poll(atMost).forEach(this::park);
  }

  private void park(ConsumerRecord<byte[], byte[]> record) {
    ParkedPartition partition = partition(placeOf(record));
    partition.advance(record.offset());
    WaitingRequest waiting = WaitingRequest.of(record);
    var source = new RequestFacts.Source(record.topic(), record.partition(), record.offset());
    Reading reading = reader.read(source, record.headers(), record.value(), record.timestamp());
    long slackEnds =
        switch (reading) {
          case Reading.Accepted ignored -> waiting.slackEndsMillis();
          // Who answers it is the scheduler, at once.
          case Reading.Refused ignored -> Long.MIN_VALUE;
        };
    if (partition.hadEntered(record.offset(), slackEnds)) {
      return;
    }
    RequestFacts facts = reading.facts();
    var request =
        new ParkedRequest(
            record.partition(),
            record.offset(),
            bytes(record),
            slackEnds,
            waiting.deadlineMillis(),
            facts.promptTokens() + facts.outputTokens(),
            parked.line(facts.tenant(), RequestKind.of(facts)));
    partition.add(request);
    parked.add(request);
    recent.add(request, record);
  }

  /** What is in its lane need not be read again, by nobody. */
  void entered(List<ParkedRequest> requests) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (ParkedRequest request : requests) {
      partition(placeOf(request)).entered(request);
    }
    for (ParkedRequest request : requests) {
      offsets.computeIfAbsent(placeOf(request), place -> committable(partition(place)));
    }
    consumer.commitSync(offsets);
  }

  private static OffsetAndMetadata committable(ParkedPartition partition) {
    return new OffsetAndMetadata(partition.firstOpen(), partition.mark().toText());
  }

  private ParkedPartition partition(TopicPartition place) {
    return Objects.requireNonNull(partitions.get(place));
  }

  private static TopicPartition placeOf(ConsumerRecord<byte[], byte[]> record) {
    return new TopicPartition(record.topic(), record.partition());
  }

  private static TopicPartition placeOf(ParkedRequest request) {
    return new TopicPartition(Topics.BULK, request.partition());
  }

  private static int bytes(ConsumerRecord<byte[], byte[]> record) {
    int bytes = record.value() == null ? 0 : record.value().length;
    for (Header header : record.headers()) {
      bytes += header.value() == null ? 0 : header.value().length;
    }
    return bytes;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
