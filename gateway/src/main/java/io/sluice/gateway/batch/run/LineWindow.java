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
final class LineWindow implements AutoCloseable {
  private static final int WIDTH = 4;
  private static final long MAX_BYTES = 16L * 1024 * 1024;

  /** How many lines run at most until one has a result, which tells how much memory they need. */
  private static final int FIRST = 16;

  /** One large result counts less and less. */
  private static final int FADING = 64;

  /**
   * A line with its result.
   *
   * @param after the place behind the line
   */
  record Done(Position after, LineResult result) {}

  private record Entry(Position after, CompletableFuture<LineResult> result) {}

  private final int maxRunning;
  private final BatchMemory memory;
  private final Deque<Entry> entries = new ArrayDeque<>();
  private final AtomicInteger running = new AtomicInteger();
  private long bytes;
  private boolean isClosed;

  /** The size that the next result may have; 0 while none is known. */
  private final AtomicLong resultBytes = new AtomicLong();

  private final Semaphore changes = new Semaphore(0);

  /**
   * @param maxRunning how many lines may be without a result
   * @param memory counts what is in all windows
   */
  LineWindow(int maxRunning, BatchMemory memory) {
    this.maxRunning = maxRunning;
    this.memory = memory;
  }

  /** Returns how many lines may be sent and not written. */
  int width() {
    return maxRunning * WIDTH;
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Returns whether one more line may be added. */
  boolean hasRoom() {
    int now = running.get();
    long each = resultBytes.get();
    return now < (each == 0 ? Math.min(maxRunning, FIRST) : maxRunning)
        && entries.size() < width()
        && (entries.isEmpty() || (bytes() + now * each < MAX_BYTES && memory.hasRoom()));
  }

  private synchronized long bytes() {
    return bytes;
  }

  private synchronized void count(long more) {
    bytes += more;
    if (!isClosed) {
      memory.add(more);
    }
  }

  /** Counts no longer what is in it: its lines are not waited for any more. */
  @Override
  public synchronized void close() {
    if (!isClosed) {
      memory.add(-bytes);
      isClosed = true;
    }
  }

  /**
   * Adds a line.
   *
   * @param size of the line in bytes
   */
  void add(Position after, int size, CompletableFuture<LineResult> result) {
    boolean isSent = !result.isDone();
    running.incrementAndGet();
    count(size);
    entries.add(
        new Entry(
            after,
            result.whenComplete(
                (line, _) -> {
                  long resultSize = line == null ? 0 : line.json().length;
                  count(resultSize - size);
                  if (isSent) {
                    resultBytes.updateAndGet(each -> Math.max(resultSize, each - each / FADING));
                  }
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
    count(-result.json().length);
    return Optional.of(new Done(first.after(), result));
  }

  /** Waits until a line gets a result, for a limited time. */
  void awaitChange(Duration limit) throws InterruptedException {
    if (changes.tryAcquire(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      var _ = changes.drainPermits();
    }
  }
}
