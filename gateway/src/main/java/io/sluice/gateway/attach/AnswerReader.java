package io.sluice.gateway.attach;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.http.Failures;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeoutException;

/**
 * Reads one answer from a position to its end. One thread reads; any thread may close it. Closing
 * does not affect the request.
 */
final class AnswerReader implements AutoCloseable {
  /** A batch holds at most this many items, or this many bytes and one more item. */
  private static final int MAX_ITEMS = 1_000;

  private static final int MAX_BYTES = 1 << 20;

  /** How often it is checked whether all that is stored was read. */
  private static final Duration CHECK = Duration.ofMillis(20);

  /** Within this time, Kafka returns the next record that is stored. */
  private static final Duration STORED_WITHIN = Duration.ofSeconds(30);

  private final ReplyStream stream;
  private final AnswerItems items;
  private final Runnable closed;
  private final Queue<Item> ready = new ArrayDeque<>();
  private boolean isFound;
  private boolean isEnded;

  /**
   * @param closed is called whenever the reader is closed
   */
  AnswerReader(ReplyStream stream, AnswerItems items, Runnable closed) {
    this.stream = stream;
    this.items = items;
    this.closed = closed;
  }

  /** Returns whether the answer has been read to its end. */
  boolean isEnded() {
    return isEnded;
  }

  /**
   * Returns the next item: at once if it is stored, otherwise if it comes in time.
   *
   * @return empty if none came, or at the end of the answer
   * @throws UnreadableException if the answer cannot be read, or does not have the position
   */
  Optional<Item> next(Duration patience) throws InterruptedException, UnreadableException {
    long endNanos = System.nanoTime() + patience.toNanos();
    Duration left = patience;
    while (ready.isEmpty() && !isEnded && read(left)) {
      left = Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
    }
    return Optional.ofNullable(ready.poll());
  }

  /**
   * Waits until the answer has begun.
   *
   * @throws UnreadableException like {@link #next}, or if the answer has not begun in time
   */
  void find(Duration patience) throws InterruptedException, UnreadableException {
    if (!isFound && !read(patience)) {
      throw new UnreadableException(ErrorKind.REQUEST_NOT_FOUND, "there is no record of it");
    }
  }

  /** Reads the next event that is stored, or that comes in time; returns whether there was one. */
  private boolean read(Duration patience) throws InterruptedException, UnreadableException {
    long endNanos = System.nanoTime() + STORED_WITHIN.toNanos();
    while (true) {
      boolean isAll = stream.isCaughtUp();
      try {
        accept(stream.next(isAll ? patience : CHECK).orElseThrow());
        return true;
      } catch (TimeoutException e) {
        if (isAll) {
          return false;
        }
        if (System.nanoTime() - endNanos > 0) {
          throw new UnreadableException(
              ErrorKind.UNAVAILABLE, "the answer could not be read from Kafka in time");
        }
      }
    }
  }

  private void accept(ReplyEvent event) throws UnreadableException {
    if (event instanceof ReplyEvent.Failed failed
        && failed.kind().origin() == ErrorKind.Origin.CLIENT) {
      throw new UnreadableException(failed.kind(), Failures.shown(failed).message());
    }
    isFound = true;
    isEnded = event instanceof ReplyEvent.Terminal;
    ready.addAll(items.of(event));
  }

  /** Returns the next items that are stored. */
  Batch stored() throws InterruptedException, UnreadableException {
    return stored(new ArrayList<>());
  }

  private Batch stored(List<Item> batch) throws InterruptedException, UnreadableException {
    int bytes = batch.stream().mapToInt(item -> item.data().length()).sum();
    while (batch.size() < MAX_ITEMS && bytes < MAX_BYTES) {
      Optional<Item> item = next(Duration.ZERO);
      if (item.isEmpty()) {
        return new Batch(batch, items.position(), true, isEnded);
      }
      batch.add(item.get());
      bytes += item.get().data().length();
    }
    return new Batch(batch, batch.getLast().position(), false, false);
  }

  /** Waits for the next item, and returns it with those behind it that are stored. */
  Batch awaited(Duration patience) throws InterruptedException, UnreadableException {
    List<Item> batch = new ArrayList<>();
    next(patience).ifPresent(batch::add);
    return stored(batch);
  }

  /** Reads over all that is stored; returns an empty batch at its end. */
  Batch skipped() throws InterruptedException, UnreadableException {
    Batch batch = stored();
    while (!batch.isUpToDate()) {
      batch = stored();
    }
    return new Batch(List.of(), batch.next(), true, batch.isClosed());
  }

  @Override
  public void close() {
    stream.close();
    closed.run();
  }
}
