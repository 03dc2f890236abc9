package io.sluice.gateway.responses;

import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.producer.client.ReplyEvent;
import jakarta.inject.Singleton;
import java.util.List;

/** Reads what there is of responses. Thread-safe; methods block for a bounded time. */
@Singleton
final class ResponseReader {
  private final Replies replies;
  private final Recovery recovery;

  ResponseReader(Replies replies, Recovery recovery) {
    this.replies = replies;
    this.recovery = recovery;
  }

  /**
   * Reads a response up to the present end of the log. A request that seems not to have been sent
   * is sent again.
   *
   * @throws ApiException if its beginning is no longer in Kafka
   */
  ResponseEvents read(CreatedResponse created) throws InterruptedException {
    List<ReplyEvent> log = replies.read(created.requestId());
    if (log.isEmpty()) {
      recovery.resume(created);
    }
    ResponseEvents events = new ResponseEvents(created);
    var _ = events.begin();
    for (ReplyEvent event : log) {
      if (event instanceof ReplyEvent.Failed failed && failed.isLocal()) {
        throw new ApiException(ApiError.of(failed).about(created.requestId()));
      }
      var _ = events.next(event);
    }
    return events;
  }
}
