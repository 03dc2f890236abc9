package io.sluice.gateway.responses;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.StoredResponse;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads what there is of responses. Thread-safe; methods block for a bounded time. */
@Singleton
final class ResponseReader {
  private static final String NO_REPLY_MESSAGE = "the pool did not answer by the deadline";

  /** The end of a response without any reply. */
  static final ReplyEvent.Failed NO_REPLY =
      new ReplyEvent.Failed(
          ErrorKind.DEADLINE_EXCEEDED,
          NO_REPLY_MESSAGE,
          OptionalLong.empty(),
          new String(ErrorKind.DEADLINE_EXCEEDED.toJson(NO_REPLY_MESSAGE), StandardCharsets.UTF_8));

  private static final Logger log = LoggerFactory.getLogger(ResponseReader.class);

  /** Bounds the memory, because an answer may have some MiB, and its events have more. */
  private static final int MOST_AT_A_TIME = 64;

  private final ReadPlaces places = new ReadPlaces(MOST_AT_A_TIME);
  private final Replies replies;
  private final Recovery recovery;
  private final JsonMemory memory;

  ResponseReader(Replies replies, Recovery recovery, JsonMemory memory) {
    this.replies = replies;
    this.recovery = recovery;
    this.memory = memory;
  }

  /**
   * Reads a response up to the present end of the log. A request that seems not to have been sent
   * is sent again; one without a reply long after its deadline has failed.
   *
   * @throws ApiException if it, or its beginning, is no longer in Kafka, or if too many are read
   */
  ResponseEvents read(StoredResponse stored) throws InterruptedException {
    return read(stored, answer -> {});
  }

  /**
   * Does the same, and passes on the answer of a response that is complete.
   *
   * @throws ApiException as {@link #read(StoredResponse)}
   */
  ResponseEvents read(StoredResponse stored, Consumer<Answer> complete)
      throws InterruptedException {
    CreatedResponse created = stored.withoutContent();
    ResponseEvents events;
    boolean hasReply;
    try (TenantShares.Share held = memory.take(stored.tenant(), stored.json())) {
      events = new ResponseEvents(stored.shown());
      held.shrinkTo(events.heldBytes());
      try (TenantShares.Share _ = places.take(stored.tenant())) {
        hasReply = read(created, events, complete);
      }
    }
    if (!hasReply) {
      withoutReplies(created, events);
    }
    return events;
  }

  /**
   * Returns whether a response has ended, or its beginning is no longer in Kafka.
   *
   * @throws ApiException if it cannot be read, or if too many are read
   */
  boolean isEnded(CreatedResponse created) throws InterruptedException {
    try (TenantShares.Share _ = places.take(created.tenant())) {
      List<ReplyEvent> log = replies.read(created.requestId());
      return !log.isEmpty() && log.getLast() instanceof ReplyEvent.Terminal;
    }
  }

  /** Returns whether there is a reply. */
  private boolean read(CreatedResponse created, ResponseEvents events, Consumer<Answer> complete)
      throws InterruptedException {
    List<ReplyEvent> log = replies.read(created.requestId());
    var _ = events.begin();
    for (ReplyEvent event : log) {
      if (event instanceof ReplyEvent.Failed failed && failed.isLocal()) {
        throw new ApiException(ApiError.of(failed).about(created.requestId()));
      }
      if (event instanceof ReplyEvent.Completed completed) {
        complete.accept(completed.answer());
      }
      var _ = events.next(event);
    }
    return !log.isEmpty();
  }

  /**
   * Sends the request of a response without replies again, if it seems not to have been sent. A
   * failure is logged, and readers keep waiting.
   */
  void resume(CreatedResponse created) throws InterruptedException {
    try {
      recovery.resume(created);
    } catch (ApiException e) {
      log.warn("event=response_not_sent_again request={}", created.requestId(), e);
    }
  }

  private void withoutReplies(CreatedResponse created, ResponseEvents events)
      throws InterruptedException {
    if (recovery.isForgotten(created)) {
      throw new ApiException(ErrorKind.REPLY_TRUNCATED, "the answer is no longer in Kafka");
    }
    if (recovery.isTooLate(created)) {
      var _ = events.next(NO_REPLY);
    } else {
      recovery.resume(created);
    }
  }
}
