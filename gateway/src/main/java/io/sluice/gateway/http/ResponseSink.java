package io.sluice.gateway.http;

import io.micronaut.core.io.buffer.ReadBuffer;
import io.micronaut.core.io.buffer.ReadBufferFactory;
import io.sluice.common.time.CoarseWaits;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * A response body that one thread writes, and that holds nothing: a write waits until the client
 * can take it. Thread-safe.
 */
final class ResponseSink {
  /** A client that reads nothing for this time is taken for gone. */
  private static final Duration READ_WITHIN = Duration.ofMinutes(5);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Runnable begin;
  private @Nullable Subscriber<? super ReadBuffer> subscriber;
  private @Nullable ReadBufferFactory buffers;
  private long requested;
  private boolean isCancelled;

  /**
   * @param begin is called when the body is needed; starts the writing thread
   */
  ResponseSink(Runnable begin) {
    this.begin = begin;
  }

  /** Returns the body as buffers of a server. */
  Publisher<ReadBuffer> in(ReadBufferFactory buffers) {
    return target -> subscribe(target, buffers);
  }

  private void subscribe(Subscriber<? super ReadBuffer> target, ReadBufferFactory factory) {
    lock.lock();
    try {
      if (subscriber != null) {
        throw new IllegalStateException("a response body has one reader");
      }
      subscriber = target;
      buffers = factory;
    } finally {
      lock.unlock();
    }
    target.onSubscribe(new Demand());
    begin.run();
  }

  /**
   * Waits until the client can take more, and writes.
   *
   * @return false if the client has gone, or has read nothing for minutes
   */
  boolean write(byte[] bytes) throws InterruptedException {
    Subscriber<? super ReadBuffer> target;
    ReadBufferFactory factory;
    boolean isStuck;
    lock.lockInterruptibly();
    try {
      long left = READ_WITHIN.toNanos();
      while (requested == 0 && !isCancelled && left > 0) {
        left = CoarseWaits.await(lock, changed, left);
      }
      target = subscriber;
      factory = buffers;
      if (isCancelled || target == null || factory == null) {
        return false;
      }
      isStuck = requested == 0;
      isCancelled = isStuck;
      if (!isStuck && requested != Long.MAX_VALUE) {
        requested--;
      }
    } finally {
      lock.unlock();
    }
    if (isStuck) {
      target.onError(new IOException("the client reads nothing"));
      return false;
    }
    target.onNext(factory.adapt(bytes));
    return true;
  }

  /** Ends the body. */
  void end() {
    Subscriber<? super ReadBuffer> target = listener();
    if (target != null) {
      target.onComplete();
    }
  }

  /** Ends the body before it is complete, so that the client cannot take it for whole. */
  void fail(Throwable cause) {
    Subscriber<? super ReadBuffer> target = listener();
    if (target != null) {
      target.onError(cause);
    }
  }

  /** Returns who is told of the end, once; null if the client has gone. */
  private @Nullable Subscriber<? super ReadBuffer> listener() {
    lock.lock();
    try {
      Subscriber<? super ReadBuffer> target = isCancelled ? null : subscriber;
      isCancelled = true;
      return target;
    } finally {
      lock.unlock();
    }
  }

  private final class Demand implements Subscription {
    @Override
    public void request(long n) {
      lock.lock();
      try {
        requested = requested + n < 0 ? Long.MAX_VALUE : requested + n;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void cancel() {
      lock.lock();
      try {
        isCancelled = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
