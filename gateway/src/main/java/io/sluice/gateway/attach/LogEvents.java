package io.sluice.gateway.attach;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.Utf8Text;
import io.sluice.gateway.http.EventStream;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Writes a log as server-sent events of the Durable Streams protocol: each batch of messages as
 * {@code data}, followed by a {@code control} event that tells where to continue. It ends after
 * about a minute; clients then connect again. Used by one thread.
 */
final class LogEvents {
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final AnswerReader reader;
  private final EventStream events;
  private final Duration keepAlive;
  private final Supplier<String> cursor;

  LogEvents(AnswerReader reader, EventStream events, Duration keepAlive, Supplier<String> cursor) {
    this.reader = reader;
    this.events = events;
    this.keepAlive = keepAlive;
    this.cursor = cursor;
  }

  /**
   * Writes until the end of the answer, for about a minute, or until the client leaves.
   *
   * @param first what was read before
   */
  void write(Batch first) throws InterruptedException {
    long endNanos = System.nanoTime() + LONGEST.toNanos();
    boolean isOpen = write(first, true);
    while (isOpen && System.nanoTime() - endNanos < 0) {
      try {
        isOpen = write(reader.awaited(keepAlive), false);
      } catch (UnreadableException e) {
        // The client connects again, and then gets the error as a status.
        return;
      }
    }
  }

  /** Returns whether more can follow. */
  private boolean write(Batch batch, boolean isFirst) throws InterruptedException {
    boolean isRead;
    if (!batch.isEmpty()) {
      isRead =
          events.compactEvent("data", batch.json())
              && events.compactEvent("control", control(batch));
    } else if (isFirst || batch.isClosed()) {
      isRead = events.compactEvent("control", control(batch));
    } else {
      isRead = events.keepAlive();
    }
    return isRead && !batch.isClosed();
  }

  private Utf8Text control(Batch batch) {
    ObjectNode control = Json.mapper().createObjectNode();
    control.put("streamNextOffset", batch.next().text());
    if (batch.isClosed()) {
      control.put("streamClosed", true);
    } else {
      control.put("streamCursor", cursor.get());
    }
    if (batch.isUpToDate()) {
      control.put("upToDate", true);
    }
    return Utf8Text.ofJson(control);
  }
}
