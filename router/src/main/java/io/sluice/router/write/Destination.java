package io.sluice.router.write;

import io.sluice.common.kafka.RecordSend;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The records to be written to one partition, in order. A destination uses a bounded share of the
 * producer's buffer and at most one thread, which the producer may block. After a failure one
 * record at a time is tried, with growing backoff, until one succeeds. Thread-safe.
 */
final class Destination {
  /** The maximum in flight at once. A larger record is sent alone. */
  static final long UNDER_WAY_BYTES = 1024 * 1024;

  /** The maximum that waits or is in flight, so that one partition leaves room for the others. */
  static final long MOST_BYTES = RecordWriter.MOST_BYTES / 2;

  /** The same while writes fail or are slow. */
  static final long MOST_BYTES_IF_SLOW = RecordWriter.MOST_BYTES / 8;

  /**
   * If the oldest write of a partition is older than this, the partition gets no new work that
   * could go elsewhere.
   */
  static final Duration SLOW_AFTER = Duration.ofSeconds(1);

  static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
  static final Duration LONGEST_BACKOFF = Duration.ofSeconds(30);
  private static final int MAX_DOUBLINGS = 5;

  private final Producer<String, byte[]> producer;
  private final Executor threads;
  private final Queue<Write> waiting = new ArrayDeque<>();

  /**
   * The writes that the producer has, each with the time at which it got them, the oldest first.
   */
  private final Map<Write, Long> underWay = new LinkedHashMap<>();

  private long underWayBytes;

  /** The bytes of all records that are undecided. */
  private long bytes;

  private long knownNanos;
  private boolean isSending;
  private int failures;
  private long triedAgainNanos;

  Destination(Producer<String, byte[]> producer, Executor threads) {
    this.producer = producer;
    this.threads = threads;
  }

  /**
   * Appends a record, unless too much waits already. A record that waits for no other always fits.
   */
  synchronized boolean tryAdd(Write write, long nowNanos) {
    long most = takes(nowNanos) ? MOST_BYTES : MOST_BYTES_IF_SLOW;
    boolean fits = bytes == 0 || bytes + write.bytes() <= most;
    if (fits) {
      waiting.add(write);
      bytes += write.bytes();
      var _ = write.written().whenComplete((none, failure) -> decided(write));
    }
    return fits;
  }

  private synchronized void decided(Write write) {
    bytes -= write.bytes();
  }

  /** Sends what may be sent now, on a thread of the writer. */
  void pump(long nowNanos) {
    synchronized (this) {
      knownNanos = nowNanos;
      if (isSending || !maySend()) {
        return;
      }
      isSending = true;
    }
    threads.execute(this::send);
  }

  /** Returns whether a write is likely to succeed at once. */
  synchronized boolean takes(long nowNanos) {
    if (failures > 0) {
      return waiting.isEmpty() && underWay.isEmpty() && nowNanos - triedAgainNanos >= 0;
    }
    return oldestNanos(nowNanos) <= SLOW_AFTER.toNanos();
  }

  /** Fails records that are no longer useful, although the producer may still write them. */
  void expire(long nowNanos) {
    List<Write> expired;
    synchronized (this) {
      knownNanos = nowNanos;
      expired = all().filter(write -> write.isExpired(nowNanos)).toList();
      waiting.removeIf(write -> write.isExpired(nowNanos));
    }
    expired.forEach(
        write -> write.fail(new TimeoutException("the record was not written in time")));
  }

  /** Fails all records. */
  void failAll(KafkaException failure) {
    List<Write> failed;
    synchronized (this) {
      failed = all().toList();
      waiting.clear();
    }
    failed.forEach(write -> write.fail(failure));
  }

  /** Returns the records that are still undecided. */
  synchronized List<CompletableFuture<Void>> unwritten() {
    return all().map(Write::written).toList();
  }

  /** Returns whether the destination can be dropped. */
  synchronized boolean isForgettable(long nowNanos) {
    boolean isTriedAgain = nowNanos - triedAgainNanos > LONGEST_BACKOFF.toNanos();
    return waiting.isEmpty() && underWay.isEmpty() && (failures == 0 || isTriedAgain);
  }

  private void send() {
    for (Write next = next(); next != null; next = next()) {
      Write write = next;
      RecordSend.send(producer, write.record(), (metadata, failure) -> done(write, failure));
    }
  }

  private synchronized @Nullable Write next() {
    if (!maySend()) {
      isSending = false;
      return null;
    }
    Write write = waiting.remove();
    underWay.put(write, knownNanos);
    underWayBytes += write.bytes();
    return write;
  }

  private boolean maySend() {
    Write next = waiting.peek();
    if (next == null) {
      return false;
    }
    return underWay.isEmpty()
        ? failures == 0 || knownNanos - triedAgainNanos >= 0
        : failures == 0 && underWayBytes + next.bytes() <= UNDER_WAY_BYTES;
  }

  private void done(Write write, @Nullable Exception failure) {
    long now;
    synchronized (this) {
      if (underWay.remove(write) == null) {
        return;
      }
      underWayBytes -= write.bytes();
      if (failure == null) {
        failures = 0;
      } else if (failures == 0 || knownNanos - triedAgainNanos >= 0) {
        // Records that were in flight with it fail too and carry no further information.
        triedAgainNanos = knownNanos + backoff().toNanos();
        failures++;
      }
      now = knownNanos;
    }
    if (failure == null) {
      write.succeed();
    } else {
      write.fail(failure);
    }
    pump(now);
  }

  private Duration backoff() {
    Duration backoff = FIRST_BACKOFF.multipliedBy(1L << Math.min(failures, MAX_DOUBLINGS));
    return backoff.compareTo(LONGEST_BACKOFF) < 0 ? backoff : LONGEST_BACKOFF;
  }

  private long oldestNanos(long nowNanos) {
    return underWay.values().stream().findFirst().map(sent -> nowNanos - sent).orElse(0L);
  }

  private Stream<Write> all() {
    return Stream.concat(underWay.keySet().stream(), waiting.stream());
  }
}
