package io.sluice.router.bulk;

import io.sluice.common.protocol.Topics;
import io.sluice.router.bulk.ParkedRequest.Turn;
import io.sluice.router.clock.AppendTimes;
import io.sluice.router.parse.ParsedRequest;
import io.sluice.router.parse.RequestReader;
import io.sluice.router.queue.BulkSize;
import io.sluice.router.queue.RequestKind;
import io.sluice.router.request.EarlyControlIds;
import io.sluice.router.request.RequestMetadata;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads this router's partitions of the bulk topic and parks the requests. A partition with many
 * parked requests is paused, independent of the others. Not thread-safe.
 */
final class BulkIntake implements AutoCloseable {
  private static final int MOST_PARKED = 1_000_000;

  /** In addition to what there is room for. */
  private static final int MOST_HOPELESS = 64;

  private static final int MOST_PARKED_OF_PARTITION = 100_000;

  private static final Logger log = LoggerFactory.getLogger(BulkIntake.class);

  private final Consumer<byte[], byte[]> consumer;
  private final RequestReader reader;
  private final ParkedRequests parked;
  private final RecentRecords recent;
  private final EarlyControlIds earlyControlIds;
  private final AppendTimes times;
  private final Map<TopicPartition, ParkedPartition> partitions = new HashMap<>();

  /** The partitions where more has entered than was committed. */
  private final Set<TopicPartition> changed = new HashSet<>();

  /** The number of controls whose requests were searched for. */
  private long controlsSeen;

  BulkIntake(
      Consumer<byte[], byte[]> consumer,
      RequestReader reader,
      ParkedRequests parked,
      RecentRecords recent,
      EarlyControlIds earlyControlIds,
      AppendTimes times) {
    this.consumer = consumer;
    this.reader = reader;
    this.parked = parked;
    this.recent = recent;
    this.earlyControlIds = earlyControlIds;
    this.times = times;
  }

  /** Returns the partitions that it reads. */
  Set<TopicPartition> assigned() {
    return Set.copyOf(partitions.keySet());
  }

  /**
   * Follows the tasks of this process. Kept partitions keep their position, and new ones start
   * where an earlier feeder stopped.
   *
   * @throws KafkaException if that is not known of the new ones; nothing has changed then
   */
  void assign(Set<TopicPartition> wanted) {
    if (wanted.equals(partitions.keySet())) {
      return;
    }
    Set<TopicPartition> gained = new HashSet<>(wanted);
    gained.removeAll(partitions.keySet());
    Map<TopicPartition, OffsetAndMetadata> committed =
        gained.isEmpty() ? Map.of() : consumer.committed(gained);
    consumer.assign(wanted);
    Set<TopicPartition> lost = new HashSet<>(partitions.keySet());
    lost.removeAll(wanted);
    lost.forEach(times::end);
    if (!lost.isEmpty()) {
      partitions.keySet().removeAll(lost);
      changed.removeAll(lost);
      parked.remove(lost.stream().map(TopicPartition::partition).collect(Collectors.toSet()));
      recent.clear();
    }
    for (TopicPartition partition : gained) {
      times.begin(partition);
      OffsetAndMetadata known = committed.get(partition);
      EnteredMark mark = known == null ? EnteredMark.NONE : EnteredMark.parse(known.metadata());
      partitions.put(partition, new ParkedPartition(mark));
    }
  }

  /** Parks what has arrived, and waits for it if necessary. */
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
    request(record, partition)
        .ifPresent(
            request -> {
              partition.add(request);
              parked.add(request);
              recent.add(request, record);
            });
  }

  /**
   * Returns the request of a record; empty if it had entered. One at which the router's own code
   * fails, and would fail again, goes to its task, which sets such records aside.
   */
  private Optional<ParkedRequest> request(
      ConsumerRecord<byte[], byte[]> record, ParkedPartition partition) {
    try {
      return read(record, partition);
    } catch (RuntimeException e) {
      log.error(
          "event=bulk_record_failed partition={} offset={} effect=\"it enters as it is; the partition continues\"",
          record.partition(),
          record.offset(),
          e);
      return Optional.of(unread(record))
          .filter(request -> !partition.hadEntered(request.offset(), Long.MAX_VALUE));
    }
  }

  private ParkedRequest unread(ConsumerRecord<byte[], byte[]> record) {
    var kind = new RequestKind("", reader.shortestLane(), List.of(), List.of());
    return ParkedRequest.unread(
        record.partition(),
        record.offset(),
        bytes(record),
        new BulkLine("", new BulkSize(kind, 0)));
  }

  private Optional<ParkedRequest> read(
      ConsumerRecord<byte[], byte[]> record, ParkedPartition partition) {
    WaitingRequest waiting = WaitingRequest.of(record);
    var source = new RequestMetadata.Source(record.topic(), record.partition(), record.offset());
    long appended = times.appendedAt(placeOf(record), record.offset(), record.timestamp());
    ParsedRequest reading = reader.read(source, record.headers(), record.value(), appended);
    boolean isRefused = reading instanceof ParsedRequest.Refused;
    // The cancellation is not part of the mark, because the next feeder may not know of it.
    long mark = isRefused ? Long.MIN_VALUE : waiting.slackEndsMillis(record.timestamp());
    // An earlier feeder may have accepted what is refused now, unless its headers are malformed:
    // only a recorded range shows that it entered.
    boolean isRefusedByAll = waiting.parsed().problem().isPresent();
    long shown = isRefused && !isRefusedByAll ? Long.MAX_VALUE : mark;
    if (partition.hadEntered(record.offset(), shown)) {
      return Optional.empty();
    }
    RequestMetadata metadata = reading.metadata();
    BulkSize size = BulkSize.of(metadata);
    long idHash = EarlyControlIds.hash(waiting.requestId());
    Turn turn = isRefused ? Turn.AT_ONCE : turn(record.partition(), idHash);
    var request =
        ParkedRequest.of(
            metadata,
            bytes(record),
            waiting.deadlineMillis(appended),
            mark,
            turn == Turn.IN_LINE
                ? parked.line(metadata.tenant(), size)
                : new BulkLine(metadata.tenant(), size),
            idHash);
    request.give(turn);
    return Optional.of(request);
  }

  /** Moves requests forward that were cancelled or amended since the last call. */
  void hearControls() {
    long added = earlyControlIds.added();
    if (added != controlsSeen) {
      controlsSeen = added;
      parked.turn(request -> turn(request.partition(), request.idHash()));
    }
  }

  /** Lets requests enter that no worker is going to serve, so that their callers are told. */
  void giveUpHopeless() {
    var left = new AtomicInteger(MOST_HOPELESS);
    parked.turn(
        request ->
            left.get() > 0
                    && reader.isUnservable(request.line().kind().model(), request.contextTokens())
                    && left.getAndDecrement() > 0
                ? Turn.NEXT
                : Turn.IN_LINE);
  }

  private Turn turn(int partition, long idHash) {
    if (earlyControlIds.isCancelled(partition, idHash)) {
      return Turn.AT_ONCE;
    }
    return earlyControlIds.isAmended(partition, idHash) ? Turn.NEXT : Turn.IN_LINE;
  }

  /** These requests are in their lanes. */
  void entered(List<ParkedRequest> requests) {
    for (ParkedRequest request : requests) {
      TopicPartition place = placeOf(request);
      partition(place).entered(request);
      changed.add(place);
    }
  }

  /** These requests wait again. They may have been cancelled or amended since they were taken. */
  void notEntered(List<ParkedRequest> requests) {
    for (ParkedRequest request : requests) {
      request.advance(turn(request.partition(), request.idHash()));
      parked.add(request);
    }
  }

  /**
   * Tells the next feeder of these partitions what has entered. Scans everything that is parked.
   */
  void commit() {
    if (!changed.isEmpty()) {
      consumer.commitSync(
          changed.stream()
              .collect(Collectors.toMap(place -> place, place -> committable(partition(place)))));
      changed.clear();
    }
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
    consumer.close(CloseOptions.timeout(BulkFeeder.CLOSE_WITHIN));
  }
}
