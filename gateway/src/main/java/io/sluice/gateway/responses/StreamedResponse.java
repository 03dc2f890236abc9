package io.sluice.gateway.responses;

import io.sluice.gateway.http.EventStream;
import io.sluice.gateway.responses.event.ResponseEvent;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.producer.client.ReplyEvent;
import io.sluice.producer.client.ReplyStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** Writes the events of one response to a client. Used by one thread. */
final class StreamedResponse {
  private final ReplyStream stream;
  private final ResponseEvents events;
  private final int after;
  private final EventStream out;
  private final Duration keepAlive;
  private boolean isInterrupted;

  /**
   * @param after the number of the last event that the client has; -1 for none
   */
  StreamedResponse(
      ReplyStream stream, ResponseEvents events, int after, EventStream out, Duration keepAlive) {
    this.stream = stream;
    this.events = events;
    this.after = after;
    this.out = out;
    this.keepAlive = keepAlive;
  }

  /**
   * Writes until the end of the response.
   *
   * @param first an event of the log that was read before
   * @return false if the client did not read to the end
   */
  boolean write(Optional<ReplyEvent> first) throws InterruptedException {
    boolean isRead = write(events.begin()) && (first.isEmpty() || write(first.get()));
    while (isRead && !events.isEnded() && !isInterrupted) {
      isRead = writeNext();
    }
    return isRead;
  }

  private boolean writeNext() throws InterruptedException {
    try {
      Optional<ReplyEvent> event = stream.next(keepAlive);
      isInterrupted = event.isEmpty();
      return event.isEmpty() || write(event.get());
    } catch (TimeoutException e) {
      return out.keepAlive();
    }
  }

  private boolean write(ReplyEvent event) throws InterruptedException {
    if (event instanceof ReplyEvent.Failed failed && failed.isLocal()) {
      isInterrupted = true;
      ResponseEvent interruption = events.interruption(failed);
      return out.event(interruption.type(), interruption.data());
    }
    return write(events.next(event));
  }

  private boolean write(List<ResponseEvent> next) throws InterruptedException {
    for (ResponseEvent event : next) {
      if (event.sequenceNumber() > after && !out.event(event.type(), event.data())) {
        return false;
      }
    }
    return true;
  }
}
