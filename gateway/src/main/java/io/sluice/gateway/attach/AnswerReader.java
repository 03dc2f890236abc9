package io.sluice.gateway.attach;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.client.ReplyEvent;
import io.sluice.producer.client.ReplyStream;
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
  /** A batch holds at most so many items, or so many characters and one more item. */
  private static final int MAX_ITEMS = 1_000;

  private static final int MAX_CHARS = 1 << 20;

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

  /** Returns whether there is an answer, or at least its beginning. */
  boolean isFound() {
    return isFound;
  }

  /** Returns whether the answer has been read to its end. */
  boolean isEnded() {
    return isEnded;
  }

  /**
   * Waits for the next item.
   *
   * @return empty at the end of the answer
   * @throws TimeoutException if none came in time; reading can continue
   * @throws UnreadableException if the answer cannot be read, or does not have the position
   */
  Optional<Item> next(Duration timeout)
      throws InterruptedException, TimeoutException, UnreadableException {
    long endNanos = System.nanoTime() + timeout.toNanos();
    while (ready.isEmpty() && !isEnded) {
      Duration left = Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
      Optional<ReplyEvent> event = stream.next(left);
      if (event.isPresent()) {
        accept(event.get());
      } else {
        isEnded = true;
      }
    }
    return Optional.ofNullable(ready.poll());
  }

  private void accept(ReplyEvent event) throws UnreadableException {
    if (event instanceof ReplyEvent.Failed failed && !isOfTheLog(failed.kind())) {
      throw new UnreadableException(failed.kind(), failed.message());
    }
    isFound = true;
    isEnded = event instanceof ReplyEvent.Terminal;
    ready.addAll(items.of(event));
  }

  /** Readers themselves find the other errors; the pool writes none of them. */
  private static boolean isOfTheLog(ErrorKind kind) {
    return switch (kind) {
      case REQUEST_NOT_FOUND, REPLY_TRUNCATED, UNAVAILABLE -> false;
      default -> true;
    };
  }

  /** Returns the next item that is stored; empty if there is none, or none yet. */
  private Optional<Item> nextStored() throws InterruptedException, UnreadableException {
    long endNanos = System.nanoTime() + STORED_WITHIN.toNanos();
    while (true) {
      boolean isAll = stream.isCaughtUp();
      try {
        return next(isAll ? Duration.ZERO : CHECK);
      } catch (TimeoutException e) {
        if (isAll) {
          return Optional.empty();
        }
        if (System.nanoTime() - endNanos > 0) {
          throw new UnreadableException(
              ErrorKind.UNAVAILABLE, "the answer could not be read from Kafka in time");
        }
      }
    }
  }

  /** Returns the next items that are stored. */
  Batch stored() throws InterruptedException, UnreadableException {
    return stored(new ArrayList<>());
  }

  private Batch stored(List<Item> batch) throws InterruptedException, UnreadableException {
    int chars = batch.stream().mapToInt(item -> item.data().length()).sum();
    while (batch.size() < MAX_ITEMS && chars < MAX_CHARS) {
      Optional<Item> item = nextStored();
      if (item.isEmpty()) {
        return new Batch(batch, items.position(), true, isEnded);
      }
      batch.add(item.get());
      chars += item.get().data().length();
    }
    return new Batch(batch, batch.getLast().position(), false, false);
  }

  /** Waits for the next item, and returns it with those behind it that are stored. */
  Batch awaited(Duration timeout) throws InterruptedException, UnreadableException {
    List<Item> batch = new ArrayList<>();
    try {
      next(timeout).ifPresent(batch::add);
    } catch (TimeoutException e) {
      return new Batch(batch, items.position(), true, false);
    }
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
