package io.sluice.router.bulk;

import io.sluice.common.protocol.Topics;
import io.sluice.router.clock.AppendTimes;
import io.sluice.router.parse.RequestReader;
import io.sluice.router.request.EarlyControlIds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves requests from the bulk topic into the same partition of their lane, no more than {@link
 * BulkAllowance} says, so that the bulk backlog stays in its own topic: what is known of it here is
 * where the records stand ({@link ParkedRequests}), and they are read again when they enter. Those
 * that have no more time to spare enter anyway, as interactive requests, as do those of which a
 * caller wants another deadline or priority, for the scheduler to change them; and those that were
 * refused or cancelled before all others, to be told so. It reads just the partitions that this
 * process schedules: what it feeds is seen, and counted, by a task beside it.
 *
 * <p>Every record is passed on at least once, with its id kept; the task that owns the id drops
 * repeats. One thread.
 */
public final class BulkFeeder implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(5);
  private static final int BATCH_REQUESTS = 64;
  private static final int BATCH_BYTES = 8 * 1024 * 1024;

  /**
   * So often a commit may be left out while more enters: what is not committed only comes again.
   */
  private static final int UNCOMMITTED_ROUNDS = 16;

  /**
   * So often it is looked, through all that is parked if need be, for what ends at once: half a
   * second apart at most, and 50 ms for a million.
   */
  static final int ROUNDS_PER_LOOK = 10;

  /** So often all that is parked is looked through for what nobody serves: every 5 s at most. */
  static final int LOOKS_PER_JUDGEMENT = 10;

  private static final Logger log = LoggerFactory.getLogger(BulkFeeder.class);

  private final Consumer<byte[], byte[]> consumer;
  private final BulkIntake intake;
  private final BulkEntrance entrance;
  private final Supplier<Set<Integer>> partitions;
  private final BulkAllowance allowance;
  private final LongSupplier epochMillis;
  private final ParkedRequests parked = new ParkedRequests();
  private final Thread thread;
  private boolean isBehind;
  private int uncommitted;
  private int rounds;
  private volatile int parkedRequests;
  private volatile boolean closed;

  /**
   * Starts to feed.
   *
   * @param consumer becomes this feeder's own, as do the second one and the producer
   * @param rereader reads single records again
   * @param partitions those that this process schedules now
   * @param epochMillis the pool's time
   */
  public static BulkFeeder start(
      Consumer<byte[], byte[]> consumer,
      Consumer<byte[], byte[]> rereader,
      Producer<byte[], byte[]> producer,
      RequestReader reader,
      Supplier<Set<Integer>> partitions,
      BulkAllowance allowance,
      EarlyControlIds earlyControlIds,
      LongSupplier epochMillis,
      AppendTimes appendTimes) {
    return new BulkFeeder(
        consumer,
        new KafkaBulkRecords(rereader),
        producer,
        reader,
        partitions,
        allowance,
        earlyControlIds,
        epochMillis,
        appendTimes);
  }

  BulkFeeder(
      Consumer<byte[], byte[]> consumer,
      BulkRecords records,
      Producer<byte[], byte[]> producer,
      RequestReader reader,
      Supplier<Set<Integer>> partitions,
      BulkAllowance allowance,
      EarlyControlIds earlyControlIds,
      LongSupplier epochMillis,
      AppendTimes appendTimes) {
    this.consumer = consumer;
    var recent = new RecentRecords();
    this.intake = new BulkIntake(consumer, reader, parked, recent, earlyControlIds, appendTimes);
    this.entrance = new BulkEntrance(records, recent, producer, allowance);
    this.partitions = partitions;
    this.allowance = allowance;
    this.epochMillis = epochMillis;
    this.thread = Thread.ofPlatform().daemon().name("bulk-feeder").start(this::run);
  }

  /** How many requests of this router's partitions are known and have not entered. */
  public int parkedRequests() {
    return parkedRequests;
  }

  @Override
  public void close() {
    closed = true;
    consumer.wakeup();
    try {
      if (!thread.join(STOP_WITHIN)) {
        log.warn("event=bulk_feeder_not_stopped waited={}", STOP_WITHIN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try (intake;
        entrance) {
      while (!closed) {
        try {
          round();
        } catch (WakeupException e) {
          log.debug("event=bulk_feeder_woken");
        } catch (RuntimeException e) {
          log.warn(
              "event=bulk_feeding_failed effect=\"tried again\" reason=\"{}\"", e.getMessage());
          pause(BACKOFF);
        }
      }
      commitAtLast();
    }
  }

  private void commitAtLast() {
    try {
      intake.commit();
    } catch (RuntimeException e) {
      log.info("event=bulk_commit_failed effect=\"some come again\" reason=\"{}\"", e.getMessage());
    }
  }

  private void round() {
    Set<TopicPartition> wanted =
        partitions.get().stream()
            .map(partition -> new TopicPartition(Topics.BULK, partition))
            .collect(Collectors.toSet());
    intake.assign(wanted);
    if (wanted.isEmpty()) {
      pause(POLL);
      return;
    }
    intake.read(isBehind ? Duration.ZERO : POLL);
    long now = epochMillis.getAsLong();
    if (++rounds % ROUNDS_PER_LOOK == 0) {
      lookForEnds(now);
    }
    List<ParkedRequest> batch = next(now);
    isBehind = batch.size() >= BATCH_REQUESTS;
    parkedRequests = parked.size();
    if (batch.isEmpty() || uncommitted >= UNCOMMITTED_ROUNDS) {
      intake.commit();
      uncommitted = 0;
    }
    if (!batch.isEmpty()) {
      uncommitted++;
      try {
        entrance.enter(batch, now);
      } catch (RuntimeException e) {
        batch.forEach(parked::add);
        throw e;
      }
      intake.entered(batch);
    }
  }

  /** While no new requests are taken, those that are too late are to hear of it all the same. */
  private void lookForEnds(long now) {
    intake.hearControls();
    if (rounds % (ROUNDS_PER_LOOK * LOOKS_PER_JUDGEMENT) == 0) {
      intake.giveUpHopeless();
    }
    if (allowance.isShut()) {
      parked.endLate(now);
    }
  }

  /** Takes out what enters now, no more than can be in memory at a time. */
  private List<ParkedRequest> next(long now) {
    BulkOpenings openings = allowance.openings();
    List<ParkedRequest> batch = new ArrayList<>();
    int bytes = 0;
    while (batch.size() < BATCH_REQUESTS && bytes < BATCH_BYTES) {
      Optional<ParkedRequest> next =
          parked.takeEnding().or(() -> due(now, openings)).or(() -> parked.take(openings));
      if (next.isEmpty()) {
        break;
      }
      batch.add(next.get());
      bytes += next.get().bytes();
    }
    return batch;
  }

  /**
   * What cannot wait enters whatever room there is, if any requests are taken, and takes from the
   * room of the others.
   */
  private Optional<ParkedRequest> due(long now, BulkOpenings openings) {
    Optional<ParkedRequest> due =
        allowance.isShut() ? Optional.empty() : parked.takeDeadlineCritical(now);
    due.ifPresent(request -> openings.tryTake(request.line().kind(), request.contextTokens()));
    return due;
  }

  private void pause(Duration duration) {
    try {
      Thread.sleep(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }
}
