package io.sluice.worker.engine.http;

import io.micronaut.http.ByteBodyHttpResponse;
import io.micronaut.http.HttpResponse;
import io.netty.channel.ConnectTimeoutException;
import io.sluice.worker.engine.Transport.Exchange;
import io.sluice.worker.engine.Transport.Reach;
import io.sluice.worker.engine.Transport.Signal;
import java.net.ConnectException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * One request in flight. The event loop hands over response chunks through a queue of at most
 * {@value #WINDOW}. It requests another chunk only when one is taken, so a slow reader slows down
 * only its own connection.
 */
final class MicronautExchange implements Exchange {
  private static final int WINDOW = 64;

  private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private final ConnectionCloser connections;
  private final ExchangeConnection connection;
  private volatile @Nullable Subscription body;

  MicronautExchange(ConnectionCloser connections) {
    this.connections = connections;
    this.connection = connections.open();
  }

  String key() {
    return connection.key();
  }

  @Override
  public Optional<Signal> poll(long nanos) throws InterruptedException {
    Signal signal = signals.poll(nanos, TimeUnit.NANOSECONDS);
    Subscription subscription = body;
    if (signal instanceof Signal.Bytes && subscription != null) {
      subscription.request(1);
    }
    return Optional.ofNullable(signal);
  }

  @Override
  public void abort() {
    connections.close(key());
    Subscription subscription = body;
    if (subscription != null) {
      subscription.cancel();
    }
    signals.add(new Signal.Failed("aborted", Reach.SENT));
  }

  Subscriber<HttpResponse<?>> responses() {
    return new Subscriber<>() {
      @Override
      public void onSubscribe(Subscription subscription) {
        subscription.request(1);
      }

      @Override
      public void onNext(HttpResponse<?> response) {
        signals.add(
            new Signal.Head(
                response.code(),
                Optional.ofNullable(response.header("Content-Type")),
                Optional.ofNullable(response.header("Retry-After"))));
        if (response instanceof ByteBodyHttpResponse<?> streaming) {
          streaming.byteBody().toByteArrayPublisher().subscribe(chunks());
        } else {
          signals.add(new Signal.End());
        }
      }

      @Override
      public void onError(Throwable error) {
        signals.add(failed(error));
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
        signals.add(new Signal.Bytes(bytes));
      }

      @Override
      public void onError(Throwable error) {
        signals.add(failed(error));
      }

      @Override
      public void onComplete() {
        signals.add(new Signal.End());
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
