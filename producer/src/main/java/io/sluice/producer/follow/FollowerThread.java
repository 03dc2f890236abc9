package io.sluice.producer.follow;

import io.sluice.common.dependency.Reasons;
import io.sluice.common.protocol.ErrorKind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread with a consumer that serves groups of followers, and the queue of those that it does not
 * serve yet. Thread and consumer exist only while there are any. Thread-safe.
 */
final class FollowerThread {
  private static final Duration IDLE = Duration.ofSeconds(10);
  private static final Logger log = LoggerFactory.getLogger(FollowerThread.class);

  private final String name;
  private final Supplier<Consumer<String, byte[]>> consumers;
  private final ServiceOpener services;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Queue<FollowerGroup> waiting = new ArrayDeque<>();
  private final Turns turns = new Turns();

  /** Of the thread that runs; null also while it opens it. */
  private @Nullable Consumer<String, byte[]> running;

  private boolean isRunning;
  private boolean isClosed;
  private volatile String closedBecause = "the client was closed";

  /** What the thread does. Used on the thread only. */
  interface Service {
    /** Returns whether it serves no group. */
    boolean isEmpty();

    /** Takes groups from the queue, and serves them for a limited time. */
    void serve();

    /** Ends the followers that it serves with an error. */
    void fail(String reason);
  }

  /** Opens what serves the groups of a thread with its consumer. */
  interface ServiceOpener {
    Service open(FollowerThread thread, Consumer<String, byte[]> consumer);
  }

  FollowerThread(
      String name, Supplier<Consumer<String, byte[]>> consumers, ServiceOpener services) {
    this.name = name;
    this.consumers = consumers;
    this.services = services;
  }

  /** Serves a group, which fails if this thread has been closed. */
  void add(FollowerGroup group) {
    if (!tryAdd(group)) {
      group.fail(ErrorKind.UNAVAILABLE, closedBecause);
    }
  }

  private boolean tryAdd(FollowerGroup group) {
    lock.lock();
    try {
      if (!isClosed) {
        waiting.add(group);
        changed.signal();
        if (!isRunning) {
          Thread.ofPlatform().daemon().name(name).start(this::run);
          isRunning = true;
        }
      }
      return !isClosed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Serves a group, and interrupts a poll of the consumer for that. Only for services that do
   * nothing else with their consumers that waits.
   */
  void addAtOnce(FollowerGroup group) {
    add(group);
    lock.lock();
    try {
      if (running != null) {
        running.wakeup();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the group whose turn it is, with all others that the same reading serves. */
  Optional<FollowerGroup> next() {
    lock.lock();
    try {
      Optional<FollowerGroup> next = turns.first(waiting);
      next.ifPresent(
          group -> {
            waiting.remove(group);
            waiting.removeIf(
                other -> {
                  boolean isToo = group.mayMerge(other);
                  if (isToo) {
                    group.merge(other);
                  }
                  return isToo;
                });
            turns.served(group);
          });
      return next;
    } finally {
      lock.unlock();
    }
  }

  boolean isAnyWaiting() {
    lock.lock();
    try {
      return !waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    lock.lock();
    try {
      return isClosed;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try (Consumer<String, byte[]> consumer = consumers.get()) {
      runs(consumer);
      Service service = services.open(this, consumer);
      try {
        while (awaitWork(service)) {
          service.serve();
        }
        service.fail(closedBecause);
      } catch (RuntimeException e) {
        service.fail(Rereader.UNREADABLE + Reasons.of(e));
        throw e;
      }
    } catch (RuntimeException | Error e) {
      log.warn("event=rereader_failed thread={}", name, e);
      stop(Reasons.of(e));
    }
  }

  private void runs(Consumer<String, byte[]> consumer) {
    lock.lock();
    try {
      running = consumer;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there is a group; false when the thread should end. */
  private boolean awaitWork(Service service) {
    long left = IDLE.toNanos();
    lock.lock();
    try {
      while (service.isEmpty() && waiting.isEmpty() && !isClosed && left > 0) {
        left = changed.awaitNanos(left);
      }
      if (isClosed || (service.isEmpty() && waiting.isEmpty())) {
        ended();
      }
      return isRunning;
    } catch (InterruptedException e) {
      ended();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** From now on another thread may run. Called under the lock. */
  private void ended() {
    isRunning = false;
    running = null;
  }

  private void stop(String reason) {
    List<FollowerGroup> stranded;
    lock.lock();
    try {
      stranded = List.copyOf(waiting);
      waiting.clear();
      ended();
    } finally {
      lock.unlock();
    }
    stranded.forEach(group -> group.fail(ErrorKind.UNAVAILABLE, reason));
  }

  /** Ends all followers with a message, also those that come later. */
  void close(String reason) {
    lock.lock();
    try {
      closedBecause = reason;
      isClosed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    stop(reason);
  }
}
