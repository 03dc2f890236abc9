package io.sluice.gateway.responses.record;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** The records that were used last, up to a number of bytes in all. Thread-safe. */
final class RecordCache {
  /**
   * What is known of a response.
   *
   * @param bytes the size of its record
   */
  record Known(CreatedResponse created, int bytes) {}

  /** Ids and tables take some room too. */
  private static final int OVERHEAD = 512;

  private final long maxBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashMap<String, Known> byId = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  RecordCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  Optional<Known> get(String requestId) {
    lock.lock();
    try {
      return Optional.ofNullable(byId.get(requestId));
    } finally {
      lock.unlock();
    }
  }

  void put(String requestId, Known known) {
    lock.lock();
    try {
      Known before = byId.put(requestId, known);
      bytes += weight(known) - (before == null ? 0 : weight(before));
      var oldest = byId.entrySet().iterator();
      while (bytes > maxBytes && oldest.hasNext()) {
        Map.Entry<String, Known> entry = oldest.next();
        bytes -= weight(entry.getValue());
        oldest.remove();
      }
    } finally {
      lock.unlock();
    }
  }

  private static long weight(Known known) {
    return (long) known.bytes() + OVERHEAD;
  }
}
