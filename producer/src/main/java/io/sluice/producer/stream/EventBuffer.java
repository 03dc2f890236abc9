package io.sluice.producer.stream;

import io.sluice.common.time.CoarseWaits;
import io.sluice.producer.reply.ReplyEvent;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The events that the reader of a stream has not read yet: a bounded queue between the thread that
 * reads Kafka, which never blocks here, and one reader. The reader is a {@link Flow.Subscriber} or
 * a thread that calls {@link #next}. A subscriber is called on the executor, one signal at a time,
 * and only for the events it has requested. Thread-safe.
 */
final class EventBuffer {
  /** Notified when a reader has read all events; never called under the buffer's lock. */
  interface DrainListener {
    void drained();

    void readerCancelled();
  }

  private final Executor executor;
  private final DrainListener listener;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final EventQueue events;
  private boolean isPulled;
  private @Nullable EventSubscription subscription;

  /**
   * @param tenant for whom the events are read
   */
  EventBuffer(
      int maxEvents, UnreadBytes unread, String tenant, Executor executor, DrainListener listener) {
    this.events = new EventQueue(maxEvents, unread.share(tenant, this));
    this.executor = executor;
    this.listener = listener;
  }

  /** Adds an event, unless the buffer is full; drops it if the buffer has the stream's end. */
  boolean offer(ReplyEvent event) {
    EventSubscription reader;
    lock.lock();
    try {
      if (events.isEnded()) {
        return true;
      }
      if (!events.offer(event)) {
        return false;
      }
      changed.signalAll();
      reader = subscription;
    } finally {
      lock.unlock();
    }
    if (reader != null) {
      reader.schedule();
    }
    return true;
  }

  /** Adds the stream's end, even to a full buffer, unless the buffer already has one. */
  void end(ReplyEvent.Terminal event) {
    offer(event);
  }

  /** Drops the events that were not read, and those to come, except the stream's end. */
  void discard() {
    lock.lock();
    try {
      events.discard();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for the next event.
   *
   * @return empty after the end was read
   */
  Optional<ReplyEvent> next(Duration timeout) throws InterruptedException, TimeoutException {
    claimForPulling();
    long left = timeout.toNanos();
    while (true) {
      Optional<ReplyEvent> event = poll();
      if (event.isPresent() || isRead()) {
        return event;
      }
      listener.drained();
      lock.lockInterruptibly();
      try {
        if (events.isEmpty()) {
          if (left <= 0) {
            throw new TimeoutException("no event came within " + timeout.toMillis() + " ms");
          }
          left = CoarseWaits.await(lock, changed, left);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  void subscribe(Flow.Subscriber<? super ReplyEvent> target) {
    var reader = new EventSubscription(target, events, lock, executor, listener);
    boolean isFirst;
    lock.lock();
    try {
      isFirst = subscription == null && !isPulled;
      if (isFirst) {
        subscription = reader;
      }
    } finally {
      lock.unlock();
    }
    if (isFirst) {
      executor.execute(reader::begin);
    } else {
      reader.refuse();
    }
  }

  private void claimForPulling() {
    lock.lock();
    try {
      if (subscription != null) {
        throw new IllegalStateException("this reply stream already has a subscriber");
      }
      isPulled = true;
    } finally {
      lock.unlock();
    }
  }

  private Optional<ReplyEvent> poll() {
    lock.lock();
    try {
      return events.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the end was read. */
  private boolean isRead() {
    lock.lock();
    try {
      return events.isEnded() && events.isEmpty();
    } finally {
      lock.unlock();
    }
  }
}
