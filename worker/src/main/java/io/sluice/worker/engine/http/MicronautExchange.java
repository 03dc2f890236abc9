package io.sluice.worker.engine.http;

import io.micronaut.http.ByteBodyHttpResponse;
import io.micronaut.http.HttpResponse;
import io.netty.channel.ConnectTimeoutException;
import io.sluice.common.time.CoarseWaits;
import io.sluice.worker.engine.Transport.Exchange;
import io.sluice.worker.engine.Transport.Reach;
import io.sluice.worker.engine.Transport.Signal;
import java.net.ConnectException;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * One request in flight. The event loop hands over response chunks through a queue of at most
 * {@value #WINDOW}. It requests more only when half of them are taken, because each request wakes
 * the event loop. A slow reader slows down only its own connection. For one reader.
 */
final class MicronautExchange implements Exchange {
  private static final int WINDOW = 64;
  private static final int REFILL = WINDOW / 2;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Queue<Signal> signals = new ArrayDeque<>();
  private final ConnectionCloser connections;
  private final ExchangeConnection connection;
  private volatile @Nullable Subscription body;
  private int taken;

  MicronautExchange(ConnectionCloser connections) {
    this.connections = connections;
    this.connection = connections.open();
  }

  String key() {
    return connection.key();
  }

  @Override
  public Optional<Signal> poll(long nanos) throws InterruptedException {
    Optional<Signal> signal = take(nanos);
    Subscription subscription = body;
    if (signal.orElse(null) instanceof Signal.Bytes && subscription != null && ++taken == REFILL) {
      taken = 0;
      subscription.request(REFILL);
    }
    return signal;
  }

  private Optional<Signal> take(long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (signals.isEmpty() && left > 0) {
        left = CoarseWaits.await(lock, arrived, left);
      }
      return Optional.ofNullable(signals.poll());
    } finally {
      lock.unlock();
    }
  }

  private void add(Signal signal) {
    lock.lock();
    try {
      signals.add(signal);
      arrived.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void abort() {
    connections.close(key());
    Subscription subscription = body;
    if (subscription != null) {
      subscription.cancel();
    }
    add(new Signal.Failed("aborted", Reach.SENT));
  }

  Subscriber<HttpResponse<?>> responses() {
    return new Subscriber<>() {
      @Override
      public void onSubscribe(Subscription subscription) {
        subscription.request(1);
      }

      @Override
      public void onNext(HttpResponse<?> response) {
        add(
            new Signal.Head(
                response.code(),
                Optional.ofNullable(response.header("Content-Type")),
                Optional.ofNullable(response.header("Retry-After"))));
        if (response instanceof ByteBodyHttpResponse<?> streaming) {
          streaming.byteBody().toByteArrayPublisher().subscribe(chunks());
        } else {
          add(new Signal.End());
        }
      }

      @Override
      public void onError(Throwable error) {
        add(failed(error));
      }

      @Override
      public void onComplete() {}
    };
  }

  private Subscriber<byte[]> chunks() {
    return new Subscriber<>() {
      @Override
      public void onSubscribe(Subscription subscription) {
        body = subscription;
        subscription.request(WINDOW);
      }

      @Override
      public void onNext(byte[] bytes) {
        add(new Signal.Bytes(bytes));
      }

      @Override
      public void onError(Throwable error) {
        add(failed(error));
      }

      @Override
      public void onComplete() {
        add(new Signal.End());
      }
    };
  }

  private Signal failed(Throwable error) {
    String message = error.getMessage();
    String reason = message == null ? error.getClass().getSimpleName() : message;
    return new Signal.Failed(reason, reach(error));
  }

  private Reach reach(Throwable error) {
    if (connection.hasBegun()) {
      return Reach.SENT;
    }
    return isRefusal(error) ? Reach.REFUSED : Reach.UNSENT;
  }

  private static boolean isRefusal(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException) {
        return !(cause instanceof ConnectTimeoutException);
      }
    }
    return false;
  }
}
