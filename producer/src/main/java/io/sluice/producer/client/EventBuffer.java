package io.sluice.producer.client;

import io.sluice.common.time.CoarseWaits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events that the reader of a stream has not read yet: a bounded queue between the thread that
 * reads Kafka, which never blocks here, and one reader. The reader is a {@link Flow.Subscriber} or
 * a thread that calls {@link #next}. A subscriber is called on the executor, one signal at a time,
 * and only for the events it has requested. Thread-safe.
 */
final class EventBuffer {
  /** About the size of 256 events of a few tokens. */
  private static final int MAX_BYTES = 256 * 1024;

  private static final Logger log = LoggerFactory.getLogger(EventBuffer.class);

  /** Notified when a reader has read all events; never called under the buffer's lock. */
  interface DrainListener {
    void drained();

    void readerCancelled();
  }

  private final int maxEvents;
  private final Executor executor;
  private final DrainListener listener;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Queue<ReplyEvent> events = new ArrayDeque<>();
  private int bytes;
  private boolean isEndBuffered;
  private boolean isPulled;
  private @Nullable Subscriber subscriber;

  EventBuffer(int maxEvents, Executor executor, DrainListener listener) {
    this.maxEvents = maxEvents;
    this.executor = executor;
    this.listener = listener;
  }

  /** Adds an event, unless the buffer is full. */
  boolean offer(ReplyEvent event) {
    return add(event, false);
  }

  /** Adds the stream's end, even to a full buffer, unless the buffer already has one. */
  void end(ReplyEvent.Terminal event) {
    add(event, true);
  }

  private boolean add(ReplyEvent event, boolean evenIfFull) {
    Subscriber reader;
    lock.lock();
    try {
      if (isEndBuffered) {
        return true;
      }
      int cost = bytesOf(event);
      boolean isFull =
          events.size() >= maxEvents || (bytes + cost > MAX_BYTES && !events.isEmpty());
      if (isFull && !evenIfFull) {
        return false;
      }
      events.add(event);
      bytes += cost;
      isEndBuffered = event instanceof ReplyEvent.Terminal;
      changed.signalAll();
      reader = subscriber;
    } finally {
      lock.unlock();
    }
    if (reader != null) {
      reader.schedule();
    }
    return true;
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
    Subscriber reader = new Subscriber(target);
    boolean isFirst;
    lock.lock();
    try {
      isFirst = subscriber == null && !isPulled;
      if (isFirst) {
        subscriber = reader;
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
      if (subscriber != null) {
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
      return take();
    } finally {
      lock.unlock();
    }
  }

  private Optional<ReplyEvent> take() {
    Optional<ReplyEvent> event = Optional.ofNullable(events.poll());
    event.ifPresent(taken -> bytes -= bytesOf(taken));
    return event;
  }

  /** Returns whether the end was read. */
  private boolean isRead() {
    lock.lock();
    try {
      return isEndBuffered && events.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private static int bytesOf(ReplyEvent event) {
    return event instanceof ReplyEvent.Tokens tokens ? tokens.value().length() : 0;
  }

  /** The only subscriber; {@code draining} serializes its signals. */
  private final class Subscriber implements Flow.Subscription {
    private final Flow.Subscriber<? super ReplyEvent> target;
    private long requested;
    private volatile boolean isBegun;
    private boolean isDone;
    private boolean isDraining;
    private @Nullable Throwable misuse;

    Subscriber(Flow.Subscriber<? super ReplyEvent> target) {
      this.target = target;
    }

    void begin() {
      call(() -> target.onSubscribe(this));
      isBegun = true;
      schedule();
    }

    void refuse() {
      isDone = true;
      target.onSubscribe(this);
      target.onError(new IllegalStateException("this reply stream already has a reader"));
    }

    @Override
    public void request(long n) {
      lock.lock();
      try {
        if (n <= 0) {
          misuse = new IllegalArgumentException("request(" + n + "): must be positive");
        } else {
          requested = requested + n < 0 ? Long.MAX_VALUE : requested + n;
        }
      } finally {
        lock.unlock();
      }
      schedule();
    }

    @Override
    public void cancel() {
      boolean isNew;
      lock.lock();
      try {
        isNew = !isDone;
        isDone = true;
      } finally {
        lock.unlock();
      }
      if (isNew) {
        listener.readerCancelled();
      }
    }

    void schedule() {
      lock.lock();
      try {
        if (isDraining || isDone || !isBegun) {
          return;
        }
        isDraining = true;
      } finally {
        lock.unlock();
      }
      executor.execute(this::drain);
    }

    private void drain() {
      while (true) {
        Optional<Runnable> signal = nextSignal();
        if (signal.isEmpty()) {
          return;
        }
        call(signal.get());
      }
    }

    /** By rule 2.13 of the specification, a subscriber that throws has cancelled. */
    private void call(Runnable signal) {
      try {
        signal.run();
      } catch (RuntimeException | Error e) {
        log.warn("event=subscriber_failed class={}", target.getClass().getName(), e);
        cancel();
      }
    }

    /** Returns the next signal for the subscriber. If there is none, draining has ended. */
    private Optional<Runnable> nextSignal() {
      boolean isEmpty;
      lock.lock();
      try {
        Optional<Runnable> signal = takeSignal();
        if (signal.isPresent()) {
          return signal;
        }
        isEmpty = events.isEmpty() && !isDone;
        isDraining = false;
      } finally {
        lock.unlock();
      }
      if (isEmpty) {
        listener.drained();
      }
      return Optional.empty();
    }

    private Optional<Runnable> takeSignal() {
      if (isDone) {
        return Optional.empty();
      }
      Throwable error = misuse;
      if (error != null) {
        isDone = true;
        return Optional.of(() -> target.onError(error));
      }
      if (!events.isEmpty() && requested > 0) {
        requested = requested == Long.MAX_VALUE ? requested : requested - 1;
        return take().map(event -> () -> target.onNext(event));
      }
      if (events.isEmpty() && isEndBuffered) {
        isDone = true;
        return Optional.of(target::onComplete);
      }
      return Optional.empty();
    }
  }
}
