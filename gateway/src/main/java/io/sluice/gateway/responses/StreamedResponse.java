package io.sluice.gateway.responses;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.http.EventStream;
import io.sluice.gateway.http.Failures;
import io.sluice.gateway.pool.Served;
import io.sluice.gateway.responses.event.ResponseEvent;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeoutException;

/** Writes the events of one response to a client. Used by one thread. */
final class StreamedResponse {
  private static final ReplyEvent.Failed TOO_LONG =
      new ReplyEvent.Failed(
          ErrorKind.DEADLINE_EXCEEDED,
          "the response has not ended; ask again for the events after the last one",
          OptionalLong.empty(),
          "",
          true);

  /** Is called whenever there was no reply for the time of a keep-alive. */
  @FunctionalInterface
  interface Silence {
    /** For responses that this gateway sent itself: there is nothing to do. */
    Silence EXPECTED = () -> {};

    /** There is still no reply at all. */
    void withoutReply() throws InterruptedException;
  }

  private final ReplyStream stream;
  private final ResponseEvents events;
  private final int after;
  private final EventStream out;
  private final Optional<Served> served;
  private final Duration keepAlive;
  private final Silence silence;
  private boolean hasReply;
  private boolean isInterrupted;

  /**
   * @param after the number of the last event that the client has; -1 for none
   * @param served tells who served the request; empty if that is not told
   */
  StreamedResponse(
      ReplyStream stream,
      ResponseEvents events,
      int after,
      EventStream out,
      Optional<Served> served,
      Duration keepAlive,
      Silence silence) {
    this.stream = stream;
    this.events = events;
    this.after = after;
    this.out = out;
    this.served = served;
    this.keepAlive = keepAlive;
    this.silence = silence;
  }

  /**
   * Writes until the end of the response. One that has no reply when the stream's patience is over
   * has failed.
   *
   * @param first an event of the log that was read before
   * @param longest the time after which the client has to ask again
   * @return false if the client did not read to the end
   */
  boolean write(Optional<ReplyEvent> first, Duration longest) throws InterruptedException {
    long endNanos = System.nanoTime() + longest.toNanos();
    boolean isRead = write(events.begin()) && (first.isEmpty() || write(first.get()));
    while (isRead && !events.isEnded() && !isInterrupted) {
      isRead = System.nanoTime() - endNanos < 0 ? writeNext() : write(TOO_LONG);
    }
    return isRead;
  }

  private boolean writeNext() throws InterruptedException {
    try {
      Optional<ReplyEvent> event = stream.next(keepAlive);
      isInterrupted = event.isEmpty();
      return event.isEmpty() || write(event.get());
    } catch (TimeoutException e) {
      if (!hasReply) {
        silence.withoutReply();
      }
      return out.keepAlive();
    }
  }

  private boolean write(ReplyEvent event) throws InterruptedException {
    hasReply = true;
    if (event instanceof ReplyEvent.Failed failed && failed.isLocal()) {
      if (failed.kind() == ErrorKind.REQUEST_NOT_FOUND) {
        return write(events.next(ResponseReader.NO_REPLY));
      }
      isInterrupted = true;
      ResponseEvent interruption = events.interruption(Failures.shown(failed));
      return out.event(interruption.type(), interruption.data());
    }
    return told(event) && write(events.next(event));
  }

  /** Before the last event, after which clients need not read on. */
  private boolean told(ReplyEvent event) throws InterruptedException {
    return served.isEmpty()
        || !(event instanceof ReplyEvent.Completed completed)
        || out.comment(served.get().comment(completed.answer()));
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
