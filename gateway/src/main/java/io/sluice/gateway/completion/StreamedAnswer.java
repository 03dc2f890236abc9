package io.sluice.gateway.completion;

import io.sluice.gateway.http.EventStream;
import io.sluice.gateway.http.Frame;
import io.sluice.gateway.pool.Served;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** Writes one streamed answer to its client. Used by one thread. */
final class StreamedAnswer {
  private final ReplyStream stream;
  private final Frames frames;
  private final EventStream events;
  private final Duration keepAlive;
  private final Served served;

  StreamedAnswer(
      ReplyStream stream, Frames frames, EventStream events, Duration keepAlive, Served served) {
    this.stream = stream;
    this.frames = frames;
    this.events = events;
    this.keepAlive = keepAlive;
    this.served = served;
  }

  /**
   * Writes until the end of the answer.
   *
   * @param first an event that was read before
   * @param sent is called if the whole answer was sent
   * @param clientLeft is called if the client does not read to the end
   */
  void write(Optional<ReplyEvent> first, Runnable sent, Runnable clientLeft)
      throws InterruptedException {
    boolean isRead = first.isEmpty() ? events.write(frames.keepAlive()) : write(first.get());
    while (isRead && !frames.isEnded()) {
      isRead = writeNext();
    }
    if (!isRead) {
      clientLeft.run();
    } else {
      sent.run();
      // What has no reader any more, such as an answer that began again, is not generated further.
      stream.cancel();
    }
  }

  private boolean writeNext() throws InterruptedException {
    try {
      Optional<ReplyEvent> event = stream.next(keepAlive);
      return event.isEmpty() || write(event.get());
    } catch (TimeoutException e) {
      return events.write(frames.keepAlive());
    }
  }

  private boolean write(ReplyEvent event) throws InterruptedException {
    for (Frame frame : frames.of(event)) {
      if (!events.write(frame)) {
        return false;
      }
    }
    return !(event instanceof ReplyEvent.Completed completed)
        || (events.comment(served.comment(completed.answer())) && events.write(frames.last()));
  }
}
