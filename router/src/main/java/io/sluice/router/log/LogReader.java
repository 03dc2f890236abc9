package io.sluice.router.log;

import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata.Source;
import io.sluice.router.thread.BackgroundThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads single records by offset on its own thread: those of one partition in the order of the log,
 * and several partitions at once. Concurrent reads of the same record are merged. Thread-safe.
 */
public final class LogReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration GIVE_UP_AFTER = Duration.ofSeconds(30);
  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(5);

  /** Across this many records, reading on is faster than seeking. */
  private static final int NEAR_RECORDS = 16;

  private static final Logger log = LoggerFactory.getLogger(LogReader.class);

  private final Consumer<byte[], byte[]> consumer;
  private final LongSupplier nanoClock;

  /** Used only by the reading thread: the next position of each assigned partition. */
  private final Map<TopicPartition, Long> positions = new HashMap<>();

  private final Map<TopicPartition, NavigableMap<Long, Wanted>> wanted = new HashMap<>();
  private final CountDownLatch closing = new CountDownLatch(1);

  private record Wanted(long sinceNanos, CompletableFuture<Optional<RequestBody>> body) {}

  /** A fact about a wanted record. */
  private record Found(Wanted wanted, Optional<RequestBody> body) {}

  LogReader(Consumer<byte[], byte[]> consumer, LongSupplier nanoClock) {
    this.consumer = consumer;
    this.nanoClock = nanoClock;
  }

  /**
   * Creates a reader that runs until it is closed.
   *
   * @param consumer one without a group and without offset reset; owned by this reader from now on
   */
  public static LogReader start(Consumer<byte[], byte[]> consumer, BackgroundThreads threads) {
    LogReader reader = new LogReader(consumer, System::nanoTime);
    threads.essential("log-reader", reader::run, reader::closeConsumer).start();
    return reader;
  }

  /**
   * Reads a record.
   *
   * @return completes on the reading thread: empty if the log no longer has the record,
   *     exceptionally if it could not be read within 30 s
   */
  CompletableFuture<Optional<RequestBody>> read(Source source) {
    TopicPartition partition = new TopicPartition(source.topic(), source.partition());
    synchronized (this) {
      if (isClosed()) {
        return CompletableFuture.failedFuture(new IllegalStateException("the reader is closed"));
      }
      notifyAll();
      return wanted
          .computeIfAbsent(partition, any -> new TreeMap<>())
          .computeIfAbsent(
              source.offset(), any -> new Wanted(nanoClock.getAsLong(), new CompletableFuture<>()))
          .body();
    }
  }

  private void run() {
    try {
      while (awaitWork()) {
        readSome();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      // Also after a failure, so that no caller waits for a record that never comes.
      closing.countDown();
      fail(takeAll(Long.MAX_VALUE), new IllegalStateException("the reader is closed"));
    }
  }

  private void closeConsumer() {
    consumer.close(CloseOptions.timeout(CLOSE_WITHIN));
  }

  private synchronized boolean awaitWork() throws InterruptedException {
    while (wanted.isEmpty() && !isClosed()) {
      wait();
    }
    return !isClosed();
  }

  private boolean isClosed() {
    return closing.getCount() == 0;
  }

  /** One poll for the wanted records. */
  void readSome() {
    try {
      goTo(firstWanted());
      poll();
    } catch (WakeupException e) {
      // The reader is being closed.
    } catch (RuntimeException e) {
      // Catches everything, because no other thread reads what the requests wait for.
      log.warn(
          "event=requests_not_read effect=\"the read is retried\" reason=\"{}\"", e.toString());
      positions.clear();
      pause();
    }
    long tooOld = nanoClock.getAsLong() - GIVE_UP_AFTER.toNanos();
    fail(takeAll(tooOld), new TimeoutException("the record could not be read in time"));
  }

  private void poll() {
    try {
      for (ConsumerRecord<byte[], byte[]> read : consumer.poll(POLL)) {
        found(read);
      }
    } catch (OffsetOutOfRangeException e) {
      deleted(e.offsetOutOfRangePartitions());
    }
  }

  private void pause() {
    try {
      var _ = closing.await(POLL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized Map<TopicPartition, Long> firstWanted() {
    Map<TopicPartition, Long> first = new HashMap<>();
    wanted.forEach((partition, offsets) -> first.put(partition, offsets.firstKey()));
    return first;
  }

  private void goTo(Map<TopicPartition, Long> offsets) {
    if (!consumer.assignment().equals(offsets.keySet())) {
      consumer.assign(offsets.keySet());
      positions.keySet().retainAll(offsets.keySet());
    }
    offsets.forEach(
        (partition, offset) -> {
          Long position = positions.get(partition);
          if (position == null || offset < position || offset > position + NEAR_RECORDS) {
            consumer.seek(partition, offset);
            positions.put(partition, offset);
          }
        });
  }

  private void found(ConsumerRecord<byte[], byte[]> read) {
    TopicPartition partition = new TopicPartition(read.topic(), read.partition());
    long from = positions.getOrDefault(partition, read.offset());
    positions.put(partition, read.offset() + 1);
    List<Found> found = new ArrayList<>();
    synchronized (this) {
      // A record that is not in the log is skipped by the read.
      take(partition, from, read.offset())
          .forEach(skipped -> found.add(new Found(skipped, Optional.empty())));
      take(partition, read.offset(), read.offset() + 1)
          .forEach(here -> found.add(new Found(here, Optional.of(body(read)))));
    }
    tell(found);
  }

  private static RequestBody body(ConsumerRecord<byte[], byte[]> read) {
    byte[] value = read.value();
    return RequestBody.of(read.headers(), value == null ? new byte[0] : value);
  }

  /** The log starts later, or it ends earlier because it was truncated when a broker was lost. */
  private void deleted(Map<TopicPartition, Long> outOfRange) {
    positions.keySet().removeAll(outOfRange.keySet());
    Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(outOfRange.keySet());
    List<Found> found = new ArrayList<>();
    synchronized (this) {
      outOfRange.forEach(
          (partition, offset) -> {
            long beginning = beginnings.getOrDefault(partition, 0L);
            boolean isBefore = offset < beginning;
            take(partition, isBefore ? 0 : offset, isBefore ? beginning : offset + NEAR_RECORDS)
                .forEach(gone -> found.add(new Found(gone, Optional.empty())));
          });
    }
    tell(found);
  }

  /** Removes and returns the wanted records of a range, excluding its end. */
  private List<Wanted> take(TopicPartition partition, long from, long to) {
    NavigableMap<Long, Wanted> offsets = wanted.get(partition);
    if (offsets == null || from >= to) {
      return List.of();
    }
    var range = offsets.subMap(from, true, to, false);
    List<Wanted> taken = List.copyOf(range.values());
    range.clear();
    if (offsets.isEmpty()) {
      wanted.remove(partition);
    }
    return taken;
  }

  /** Removes and returns the records that have been wanted for too long. */
  private synchronized List<Wanted> takeAll(long sinceNanos) {
    List<Wanted> taken = new ArrayList<>();
    wanted.values().stream()
        .flatMap(offsets -> offsets.values().stream())
        .filter(old -> sinceNanos == Long.MAX_VALUE || old.sinceNanos() - sinceNanos < 0)
        .forEach(taken::add);
    wanted.values().forEach(offsets -> offsets.values().removeAll(taken));
    wanted.values().removeIf(Map::isEmpty);
    return taken;
  }

  /** Not under the lock, because completion may run any code of the waiting side. */
  private static void tell(List<Found> found) {
    found.forEach(each -> each.wanted().body().complete(each.body()));
  }

  private static void fail(List<Wanted> failed, Exception failure) {
    failed.forEach(each -> each.body().completeExceptionally(failure));
  }

  @Override
  public void close() {
    closing.countDown();
    synchronized (this) {
      notifyAll();
    }
    consumer.wakeup();
  }
}
