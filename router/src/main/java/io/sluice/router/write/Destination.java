package io.sluice.router.write;

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
 * What is to be written to one partition, in order. It takes up a bounded share of the producer's
 * buffer, and at most one thread, which the producer may hold up. After a failure one record alone
 * is tried until one gets through, ever more rarely. Thread-safe.
 */
final class Destination {
  /** Under way at once; a larger record goes alone. */
  static final long UNDER_WAY_BYTES = 1024 * 1024;

  /** A partition whose oldest write is older than this gets nothing new that could go elsewhere. */
  static final Duration SLOW_AFTER = Duration.ofSeconds(1);

  static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
  static final Duration LONGEST_BACKOFF = Duration.ofSeconds(30);
  private static final int MAX_DOUBLINGS = 5;

  private final Producer<String, byte[]> producer;
  private final Executor threads;
  private final Queue<Write> waiting = new ArrayDeque<>();

  /** With the time at which each was given to the producer; the oldest first. */
  private final Map<Write, Long> underWay = new LinkedHashMap<>();

  private long underWayBytes;
  private long knownNanos;
  private boolean isSending;
  private int failures;
  private long triedAgainNanos;

  Destination(Producer<String, byte[]> producer, Executor threads) {
    this.producer = producer;
    this.threads = threads;
  }

  /** Puts a record behind the others. */
  synchronized void add(Write write) {
    waiting.add(write);
  }

  /** Sends what may be sent now, on a thread of the writer's own. */
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

  /** Whether what is sent now is likely to get through at once. */
  synchronized boolean takes(long nowNanos) {
    if (failures > 0) {
      return waiting.isEmpty() && underWay.isEmpty() && nowNanos - triedAgainNanos >= 0;
    }
    return oldestNanos(nowNanos) <= SLOW_AFTER.toNanos();
  }

  /** What is of no more use has failed, though the producer may write it yet. */
  void expire(long nowNanos) {
    List<Write> expired;
    synchronized (this) {
      knownNanos = nowNanos;
      expired = all().filter(write -> write.isExpired(nowNanos)).toList();
      waiting.removeIf(write -> write.isExpired(nowNanos));
    }
    expired.forEach(write -> write.fail(new TimeoutException("it is not in the log in time")));
  }

  /** Nothing of it will be written. */
  void failAll(KafkaException failure) {
    List<Write> failed;
    synchronized (this) {
      failed = all().toList();
      waiting.clear();
    }
    failed.forEach(write -> write.fail(failure));
  }

  /** What is not decided yet. */
  synchronized List<CompletableFuture<Void>> unwritten() {
    return all().map(Write::written).toList();
  }

  /** Whether nothing would be lost with it. */
  synchronized boolean isForgettable(long nowNanos) {
    boolean isTriedAgain = nowNanos - triedAgainNanos > LONGEST_BACKOFF.toNanos();
    return waiting.isEmpty() && underWay.isEmpty() && (failures == 0 || isTriedAgain);
  }

  private void send() {
    for (Write next = next(); next != null; next = next()) {
      Write write = next;
      try {
        var _ = producer.send(write.record(), (metadata, failure) -> done(write, failure));
      } catch (KafkaException | IllegalStateException e) {
        // Thrown, not handed to the callback, by a producer that is closed or cannot go on.
        done(write, e);
      }
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
        // Those that were under way beside it fail with it, and tell nothing more.
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
