package io.sluice.producer.stream;

import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.stream.EventBuffer.DrainListener;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signals the events of a queue to one subscriber, one at a time, as it requests them. Thread-safe;
 * the queue is used under its lock only.
 */
final class EventSubscription implements Flow.Subscription {
  private static final Logger log = LoggerFactory.getLogger(EventSubscription.class);

  private final Flow.Subscriber<? super ReplyEvent> target;
  private final EventQueue events;
  private final Lock lock;
  private final Executor executor;
  private final DrainListener listener;
  private long requested;
  private volatile boolean isBegun;
  private boolean isDone;

  /** Serializes the signals. */
  private boolean isDraining;

  private @Nullable Throwable misuse;

  /**
   * Creates a subscription that signals nothing yet.
   *
   * @param lock guards the queue, and the state here
   */
  EventSubscription(
      Flow.Subscriber<? super ReplyEvent> target,
      EventQueue events,
      Lock lock,
      Executor executor,
      DrainListener listener) {
    this.target = target;
    this.events = events;
    this.lock = lock;
    this.executor = executor;
    this.listener = listener;
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
      if (isNew) {
        isDone = true;
        events.discard();
      }
    } finally {
      lock.unlock();
    }
    if (isNew) {
      listener.readerCancelled();
    }
  }

  /** Signals what there is, on the executor, unless that is being done. */
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
    boolean isDrained;
    lock.lock();
    try {
      Optional<Runnable> signal = takeSignal();
      if (signal.isPresent()) {
        return signal;
      }
      isDrained = events.isEmpty() && !isDone;
      isDraining = false;
    } finally {
      lock.unlock();
    }
    if (isDrained) {
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
      events.discard();
      return Optional.of(() -> target.onError(error));
    }
    if (!events.isEmpty() && requested > 0) {
      requested = requested == Long.MAX_VALUE ? requested : requested - 1;
      return events.poll().map(event -> () -> target.onNext(event));
    }
    if (events.isEmpty() && events.isEnded()) {
      isDone = true;
      return Optional.of(target::onComplete);
    }
    return Optional.empty();
  }
}
