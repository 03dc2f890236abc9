package io.sluice.router.bulk;

import io.sluice.common.protocol.Topics;
import io.sluice.router.clock.AppendTimes;
import io.sluice.router.demand.DemandMeter;
import io.sluice.router.parse.RequestReader;
import io.sluice.router.request.EarlyControlIds;
import io.sluice.router.thread.BackgroundThreads;
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
 * Moves requests from the bulk topic into the same partition of their lane, within {@link
 * BulkAllowance}, so that the bulk backlog stays in its own topic. Only the places of the records
 * are kept here ({@link ParkedRequests}); the records are read again when they enter.
 * Deadline-critical requests enter regardless of room, as interactive ones. So do requests that a
 * caller wants to amend, so that the scheduler can change them. Refused and cancelled requests
 * enter before all others, so that their callers are told. The feeder reads exactly the partitions
 * that this process schedules, so a task of this process sees and counts what it feeds.
 *
 * <p>Every record is passed on at least once with its id, and the task that owns the id drops
 * repeats. A lane or a partition that cannot be written does not hold up other bulk. Runs on one
 * thread.
 */
public final class BulkFeeder implements AutoCloseable {
  /** The bound for each Kafka client. What is not in its lane by then comes again. */
  static final Duration CLOSE_WITHIN = Duration.ofSeconds(2);

  private static final Duration POLL = Duration.ofMillis(50);

  /** How long to wait for records while nothing is parked or under way. */
  static final Duration IDLE_POLL = Duration.ofMillis(250);

  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(5);
  private static final int BATCH_REQUESTS = 64;
  private static final int BATCH_BYTES = 8 * 1024 * 1024;

  /**
   * The interval between searches for requests that end at once, which may scan everything that is
   * parked: at most 0.5 s apart, and 50 ms per million requests.
   */
  static final int ROUNDS_PER_LOOK = 10;

  /** The interval between scans for requests that no worker serves: at most 5 s. */
  static final int LOOKS_PER_JUDGEMENT = 10;

  private static final Logger log = LoggerFactory.getLogger(BulkFeeder.class);

  private final Consumer<byte[], byte[]> consumer;
  private final BulkIntake intake;
  private final FeederOffsets offsets;
  private final BulkEntrance entrance;
  private final Supplier<Set<Integer>> partitions;
  private final BulkAllowance allowance;
  private final LongSupplier epochMillis;
  private final ParkedRequests parked = new ParkedRequests();
  private final BulkTurns turns;
  private final Thread thread;
  private boolean isBehind;
  private boolean isIdle;
  private int rounds;
  private volatile int parkedRequests;
  private volatile boolean closed;

  /**
   * Starts to feed.
   *
   * @param consumer owned by this feeder from now on, like the second one and the producer
   * @param rereader reads single records again
   * @param partitions the partitions that this process currently schedules
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
      AppendTimes appendTimes,
      BackgroundThreads threads) {
    return new BulkFeeder(
        consumer,
        new KafkaBulkRecords(rereader),
        producer,
        reader,
        partitions,
        allowance,
        earlyControlIds,
        epochMillis,
        appendTimes,
        threads);
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
      AppendTimes appendTimes,
      BackgroundThreads threads) {
    this.consumer = consumer;
    var recent = new RecentRecords();
    this.intake = new BulkIntake(consumer, reader, parked, recent, earlyControlIds, appendTimes);
    this.offsets = new FeederOffsets(intake, epochMillis);
    this.entrance = new BulkEntrance(records, recent, producer, allowance);
    this.partitions = partitions;
    this.allowance = allowance;
    this.turns = new BulkTurns(parked, allowance);
    this.epochMillis = epochMillis;
    this.thread = threads.essential("bulk-feeder", this::run, entrance, intake);
    thread.start();
  }

  /**
   * Returns the number of requests of this router's partitions that are known and have not entered.
   */
  public int parkedRequests() {
    return parkedRequests;
  }

  /** Returns what these requests ask of workers. */
  public DemandMeter demand() {
    return parked.demand();
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
    while (!closed) {
      roundOrPause();
    }
    offsets.commitAtLast();
  }

  private void roundOrPause() {
    try {
      round();
    } catch (WakeupException e) {
      log.debug("event=bulk_feeder_woken");
    } catch (RuntimeException e) {
      log.warn(
          "event=bulk_feeding_failed effect=\"feeding is retried\" reason=\"{}\"", e.getMessage());
      pause(BACKOFF);
    }
  }

  private void round() {
    Set<Integer> owned = partitions.get();
    Set<TopicPartition> wanted =
        owned.stream()
            .map(partition -> new TopicPartition(Topics.BULK, partition))
            .collect(Collectors.toSet());
    offsets.assign(wanted);
    entrance.keep(owned);
    if (intake.assigned().isEmpty()) {
      pause(POLL);
      return;
    }
    intake.read(patience());
    long now = epochMillis.getAsLong();
    if (++rounds % ROUNDS_PER_LOOK == 0) {
      lookForEnds(now);
    }
    parked.rest(entrance.resting(now));
    List<ParkedRequest> batch = next(now);
    isBehind = batch.size() >= BATCH_REQUESTS;
    parkedRequests = parked.size();
    if (!batch.isEmpty()) {
      try {
        entrance.enter(batch, now);
      } catch (RuntimeException e) {
        intake.notEntered(batch);
        throw e;
      }
    }
    BulkEntrance.Settled settled = entrance.settle(epochMillis.getAsLong());
    intake.entered(settled.entered());
    intake.notEntered(settled.notEntered());
    offsets.roundEnded(!batch.isEmpty());
    isIdle = batch.isEmpty() && parked.size() == 0 && entrance.isEmpty();
  }

  private Duration patience() {
    if (isBehind) {
      return Duration.ZERO;
    }
    return isIdle ? IDLE_POLL : POLL;
  }

  /** Even while no new requests are taken, callers of expired requests are told. */
  private void lookForEnds(long now) {
    intake.hearControls();
    if (rounds % (ROUNDS_PER_LOOK * LOOKS_PER_JUDGEMENT) == 0) {
      intake.giveUpHopeless();
    }
    if (allowance.isShut()) {
      parked.endLate(now);
    }
  }

  /** Removes what enters now, at most what fits in memory at a time. */
  private List<ParkedRequest> next(long now) {
    if (parked.size() == 0) {
      return List.of();
    }
    BulkOpenings openings = allowance.openings();
    List<ParkedRequest> batch = new ArrayList<>();
    int bytes = 0;
    while (batch.size() < BATCH_REQUESTS && bytes < BATCH_BYTES) {
      Optional<ParkedRequest> next = turns.take(openings, now);
      if (next.isEmpty()) {
        break;
      }
      batch.add(next.get());
      bytes += next.get().bytes();
    }
    return batch;
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
