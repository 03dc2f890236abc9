package io.sluice.gateway.pool;

import io.sluice.gateway.config.GatewayConfig;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * An HTTP client's request in the pool. A client that leaves ends its request, after a grace in
 * which another try of it may take the request over. Thread-safe.
 */
public final class Exchange {
  /** How often it is looked whether Kafka has a request whose head is due. */
  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

  private final ReplyStream stream;
  private final ClientTry client;
  private final Tries tries;
  private final GatewayConfig config;
  private final Counting counting;
  private final BooleanSupplier isStopping;
  private final AtomicBoolean hasLeft = new AtomicBoolean();
  private Optional<ReplyEvent> first = Optional.empty();
  private boolean isDue;
  private volatile boolean isResponding;

  /**
   * @param counting how it is found out what the request uses
   * @param isStopping tells whether streams end because this gateway does
   */
  Exchange(
      ReplyStream stream,
      ClientTry client,
      Tries tries,
      GatewayConfig config,
      Counting counting,
      BooleanSupplier isStopping) {
    this.isStopping = isStopping;
    this.counting = counting;
    this.stream = stream;
    this.client = client;
    this.tries = tries;
    this.config = config;
  }

  /** Returns the answer. {@link #awaitFirst} may have read its first event. */
  public ReplyStream stream() {
    return stream;
  }

  /**
   * Waits for the first event, until a keep-alive is due and Kafka has the request: a response that
   * begins is a promise that its answer can be read, even if this gateway dies. Call it from one
   * thread, before the stream is read otherwise. Does not wait again after it was due.
   *
   * @return the first event; empty if there was none in time
   */
  public Optional<ReplyEvent> awaitFirst() throws InterruptedException {
    Duration wait = config.keepAlive();
    while (first.isEmpty() && !isDue) {
      try {
        first = stream.next(wait);
      } catch (TimeoutException e) {
        isDue = stream.isAccepted();
        wait = LOOK_AGAIN;
      }
    }
    return first;
  }

  /** Returns the first event if {@link #awaitFirst} has read it. */
  public Optional<ReplyEvent> first() {
    return first;
  }

  /** Passes on what the request used, when it has ended. */
  public void whenEnded(Consumer<Spent> spent) {
    var _ =
        stream
            .answer()
            .handle(
                (answer, failure) -> {
                  if (failure != null && !isStopping.getAsBoolean() && !hasLeft.get()) {
                    tries.forget(client);
                  }
                  spent.accept(counting.of(answer, failure, stream.tokensRead()));
                  return answer;
                });
  }

  /** The response begins: from now on, the client does not retry by itself. */
  public void responseBegins() {
    isResponding = true;
  }

  /**
   * The whole response was sent, or the error that ended it. A retry of the client, to whom it may
   * not have come, can still get it.
   */
  public void sent() {
    stream.discardEvents();
    if (!hasLeft.get() && !isStopping.getAsBoolean()) {
      tries.sent(client);
    }
  }

  /** The client has left a request that continues. Another try may follow it. */
  public void readerLeft() {
    if (hasLeft.compareAndSet(false, true)) {
      stream.discardEvents();
      tries.leave(client);
      closeFollower();
    }
  }

  /**
   * The client has left: cancels the request after the grace, unless another try has taken it over.
   * Blocks until then. Repeated calls have no effect.
   */
  public void clientLeft() {
    if (!hasLeft.compareAndSet(false, true)) {
      return;
    }
    stream.discardEvents();
    boolean mayComeBack = client.noted().isPresent() && !isResponding;
    Duration grace = mayComeBack ? config.retryGrace() : config.disconnectGrace();
    tries.leave(client);
    try {
      Thread.sleep(grace);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!tries.isTakenOver(client)) {
      stream.cancel();
    } else {
      closeFollower();
    }
  }

  /** The stream of the sender finds out what the request uses, also without a reader. */
  private void closeFollower() {
    if (counting == Counting.ELSEWHERE) {
      stream.close();
    }
  }
}
