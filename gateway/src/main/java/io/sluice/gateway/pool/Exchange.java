package io.sluice.gateway.pool;

import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.producer.client.Answer;
import io.sluice.producer.client.ReplyEvent;
import io.sluice.producer.client.ReplyStream;
import io.sluice.producer.client.RequestFailedException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP client's request in the pool. A client that leaves ends its request, after a grace in
 * which another try of it may take the request over. Thread-safe.
 */
public final class Exchange {
  private final ReplyStream stream;
  private final ClientTry client;
  private final Tries tries;
  private final GatewayConfig config;
  private final boolean isFollowing;
  private Optional<ReplyEvent> first = Optional.empty();
  private volatile boolean isResponding;

  /**
   * @param isFollowing whether an earlier try of the client began the request
   */
  Exchange(
      ReplyStream stream,
      ClientTry client,
      Tries tries,
      GatewayConfig config,
      boolean isFollowing) {
    this.isFollowing = isFollowing;
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

  /**
   * Passes on how many tokens of prompt and answer the request used, when it has ended: 0 if it
   * failed or follows an earlier try, empty if that is not known because it was stopped midway.
   */
  public void whenEnded(Consumer<OptionalLong> usedTokens) {
    var _ =
        stream
            .answer()
            .handle(
                (answer, failure) -> {
                  usedTokens.accept(used(answer, failure));
                  return answer;
                });
  }

  private OptionalLong used(@Nullable Answer answer, @Nullable Throwable failure) {
    if (isFollowing) {
      return OptionalLong.of(0);
    }
    if (answer != null) {
      Usage usage = answer.usage();
      return usage.equals(Usage.NONE)
          ? OptionalLong.empty()
          : OptionalLong.of((long) usage.promptTokens() + usage.completionTokens());
    }
    boolean isStopped =
        failure instanceof RequestFailedException failed
            && (failed.failure().kind() == ErrorKind.CANCELLED
                || failed.failure().kind() == ErrorKind.DEADLINE_EXCEEDED);
    return isStopped ? OptionalLong.empty() : OptionalLong.of(0);
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
    if (tries.isLast(client)) {
      stream.cancel();
    } else {
      // Another try of the client reads the answer.
      stream.close();
    }
  }
}
