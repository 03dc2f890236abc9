package io.sluice.standalone.pool;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The started parts, which are stopped in reverse order. Thread-safe. */
final class Started implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Started.class);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  synchronized <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  @Override
  public synchronized void close() {
    while (!parts.isEmpty()) {
      AutoCloseable part = parts.pop();
      try {
        part.close();
      } catch (Exception e) {
        log.warn(
            "event=stop_failed part={} reason=\"{}\"",
            part.getClass().getSimpleName(),
            e.getMessage());
      }
    }
  }
}
