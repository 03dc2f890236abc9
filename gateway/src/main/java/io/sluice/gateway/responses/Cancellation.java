package io.sluice.gateway.responses;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.StoredResponse;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** Cancels responses. Thread-safe. */
@Singleton
final class Cancellation {
  /** The pool confirms a cancellation within a second or two. */
  private static final Duration CONFIRMED_WITHIN = Duration.ofSeconds(8);

  private final ResponseReader reader;
  private final Replies replies;

  Cancellation(ResponseReader reader, Replies replies) {
    this.reader = reader;
    this.replies = replies;
  }

  /**
   * Cancels a background response, and waits a while for its end.
   *
   * @return the response as it is then; one that had ended is not changed
   * @throws ApiException if it is not a background response
   */
  ResponseEvents cancel(StoredResponse stored) throws InterruptedException {
    CreatedResponse created = stored.withoutContent();
    if (!created.isBackground()) {
      throw new ApiException(
          ErrorKind.INVALID_REQUEST, "only a background response can be cancelled");
    }
    ResponseEvents before = reader.read(stored);
    if (before.isEnded()) {
      return before;
    }
    replies.cancel(created.requestId());
    awaitEnd(created);
    return reader.read(stored);
  }

  /**
   * Cancels a response that is no longer needed, unless it is known to have ended. To cancel an
   * ended response does no harm.
   */
  void abandon(CreatedResponse created) throws InterruptedException {
    if (!isKnownToHaveEnded(created)) {
      replies.cancel(created.requestId());
    }
  }

  private boolean isKnownToHaveEnded(CreatedResponse created) throws InterruptedException {
    try {
      return reader.isEnded(created);
    } catch (ApiException e) {
      return false;
    }
  }

  private void awaitEnd(CreatedResponse created) throws InterruptedException {
    long endNanos = System.nanoTime() + CONFIRMED_WITHIN.toNanos();
    try (ReplyStream stream =
        replies.follow(created.requestId(), created.tenant(), CONFIRMED_WITHIN)) {
      Optional<ReplyEvent> event;
      do {
        event = stream.next(Duration.ofNanos(Math.max(1, endNanos - System.nanoTime())));
      } while (event.isPresent());
    } catch (TimeoutException e) {
      // The pool will do it all the same.
    }
  }
}
