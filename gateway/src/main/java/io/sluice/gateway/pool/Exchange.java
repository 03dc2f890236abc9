package io.sluice.gateway.pool;

import io.sluice.gateway.config.GatewayConfig;
import io.sluice.producer.client.ReplyEvent;
import io.sluice.producer.client.ReplyStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * An HTTP client's request in the pool. A client that leaves ends its request, after a grace in
 * which another try of it may take the request over. Thread-safe.
 */
public final class Exchange {
  private final ReplyStream stream;
  private final ClientTry client;
  private final Tries tries;
  private final GatewayConfig config;
  private Optional<ReplyEvent> first = Optional.empty();
  private volatile boolean isResponding;

  Exchange(ReplyStream stream, ClientTry client, Tries tries, GatewayConfig config) {
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
   * Waits for the first event, until a keep-alive is due. Call it from one thread, before the
   * stream is read otherwise.
   *
   * @return the first event; empty if there was none in time
   */
  public Optional<ReplyEvent> awaitFirst() throws InterruptedException {
    if (first.isEmpty()) {
      try {
        first = stream.next(config.keepAlive());
      } catch (TimeoutException e) {
        return Optional.empty();
      }
    }
    return first;
  }

  /** The response begins: from now on, the client does not retry by itself. */
  public void responseBegins() {
    isResponding = true;
  }

  /** The client has left: cancels the request after the grace. Blocks until then. */
  public void clientLeft() {
    boolean mayComeBack = client.fingerprint().isPresent() && !isResponding;
    Duration grace = mayComeBack ? config.retryGrace() : config.disconnectGrace();
    try {
      Thread.sleep(grace);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!mayComeBack || tries.isLast(client)) {
      stream.cancel();
    }
  }
}
