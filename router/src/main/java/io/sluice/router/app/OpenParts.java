package io.sluice.router.app;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open parts of a router. They are closed in reverse order, and one that fails to close does
 * not keep the others open. Not thread-safe.
 */
final class OpenParts implements AutoCloseable {
  /**
   * Kafka's clients would wait for their calls and records, up to a minute each if no broker
   * answers. Streams are closed before them, so what they still have to send is done again.
   */
  private static final Duration CLIENT_CLOSE_WITHIN = Duration.ofSeconds(2);

  private static final Logger log = LoggerFactory.getLogger(OpenParts.class);

  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();

  <T extends AutoCloseable> T add(T part) {
    toClose.push(part);
    return part;
  }

  Admin add(Admin admin) {
    toClose.push(() -> admin.close(CLIENT_CLOSE_WITHIN));
    return admin;
  }

  <K, V> Producer<K, V> add(Producer<K, V> producer) {
    toClose.push(() -> producer.close(CLIENT_CLOSE_WITHIN));
    return producer;
  }

  @Override
  public void close() {
    while (!toClose.isEmpty()) {
      AutoCloseable part = toClose.pop();
      try {
        part.close();
      } catch (Exception e) {
        log.warn("event=close_failed reason=\"{}\"", e.getMessage());
      }
    }
  }
}
