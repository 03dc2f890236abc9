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
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private final boolean isStreamed;
  private final AtomicBoolean hasLeft = new AtomicBoolean();
  private Optional<ReplyEvent> first = Optional.empty();
  private volatile boolean isResponding;

  /**
   * @param isFollowing whether an earlier try of the client began the request
   * @param isStreamed whether the answer arrives while it is made
   */
  Exchange(
      ReplyStream stream,
      ClientTry client,
      Tries tries,
      GatewayConfig config,
      boolean isFollowing,
      boolean isStreamed) {
    this.isFollowing = isFollowing;
    this.isStreamed = isStreamed;
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

  /** Passes on what the request used, when it has ended. */
  public void whenEnded(Consumer<Spent> spent) {
    var _ =
        stream
            .answer()
            .handle(
                (answer, failure) -> {
                  spent.accept(spent(answer, failure));
                  return answer;
                });
  }

  private Spent spent(@Nullable Answer answer, @Nullable Throwable failure) {
    if (isFollowing) {
      return Spent.NOTHING;
    }
    if (answer != null) {
      Usage usage = answer.usage();
      return usage.equals(Usage.NONE)
          ? Spent.UNKNOWN
          : Spent.told(usage.promptTokens(), usage.completionTokens());
    }
    long read = stream.tokensRead();
    // An answer that is not streamed comes as a whole; until then, nobody knows.
    boolean isKnown = isStreamed || read > 0;
    return failure instanceof RequestFailedException failed && isStopped(failed.failure(), read)
        ? isKnown ? Spent.until(read) : Spent.UNKNOWN
        : Spent.NOTHING;
  }

  /** What failed is not counted; what was stopped is, and so is what only lost its reader. */
  private boolean isStopped(ReplyEvent.Failed failure, long read) {
    return failure.kind() == ErrorKind.CANCELLED
        || failure.kind() == ErrorKind.DEADLINE_EXCEEDED
        || (failure.isLocal() && read > 0);
  }

  /** The response begins: from now on, the client does not retry by itself. */
  public void responseBegins() {
    isResponding = true;
  }

  /**
   * The client has its whole response, or the error that ended it: a later try of an equal request
   * is not to get it again.
   */
  public void delivered() {
    if (!hasLeft.get()) {
      tries.finish(client);
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
    } else if (isFollowing) {
      stream.close();
    }
    // Else this stream stays without a reader until the end, to find out what the request uses.
  }
}
