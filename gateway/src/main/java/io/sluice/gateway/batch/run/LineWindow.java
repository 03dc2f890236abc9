package io.sluice.gateway.batch.run;

import io.sluice.producer.batch.Lines.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The lines that were sent and whose results are not written yet, in the order of the input. One
 * slow line holds back the results of the lines behind it, so that a place in the input tells what
 * is done; the window is wider than what runs at once for that reason. For one thread; results may
 * come on others.
 */
final class LineWindow {
  private static final int WIDTH = 4;
  private static final long MAX_BYTES = 16L * 1024 * 1024;

  /**
   * A line with its result.
   *
   * @param after the place behind the line
   */
  record Done(Position after, LineResult result) {}

  private record Entry(Position after, CompletableFuture<LineResult> result) {}

  private final int maxRunning;
  private final Deque<Entry> entries = new ArrayDeque<>();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final Semaphore changes = new Semaphore(0);

  /**
   * @param maxRunning how many lines may be without a result
   */
  LineWindow(int maxRunning) {
    this.maxRunning = maxRunning;
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Returns whether one more line may be added. */
  boolean hasRoom() {
    return running.get() < maxRunning
        && entries.size() < maxRunning * WIDTH
        && (entries.isEmpty() || bytes.get() < MAX_BYTES);
  }

  /**
   * Adds a line.
   *
   * @param size of the line in bytes
   */
  void add(Position after, int size, CompletableFuture<LineResult> result) {
    running.incrementAndGet();
    bytes.addAndGet(size);
    entries.add(
        new Entry(
            after,
            result.whenComplete(
                (line, _) -> {
                  bytes.addAndGet((line == null ? 0 : line.json().length) - (long) size);
                  running.decrementAndGet();
                  changes.release();
                })));
  }

  /**
   * Removes the first line if it has a result.
   *
   * @throws java.util.concurrent.CompletionException if its result failed
   */
  Optional<Done> poll() {
    Entry first = entries.peek();
    if (first == null || !first.result().isDone()) {
      return Optional.empty();
    }
    LineResult result = first.result().join();
    entries.remove();
    bytes.addAndGet(-result.json().length);
    return Optional.of(new Done(first.after(), result));
  }

  /** Waits until a line gets a result, for a limited time. */
  void awaitChange(Duration limit) throws InterruptedException {
    if (changes.tryAcquire(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      var _ = changes.drainPermits();
    }
  }
}
