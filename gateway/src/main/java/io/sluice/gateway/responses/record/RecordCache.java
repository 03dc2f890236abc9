package io.sluice.gateway.responses.record;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The values of the records that were used last, up to a number of bytes in all. They are not
 * parsed, because a tree of them may be thirty times as large. Thread-safe.
 */
final class RecordCache {
  /** Ids and tables take some room too. */
  private static final int OVERHEAD = 512;

  private final long maxBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashMap<String, byte[]> byId = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  RecordCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  Optional<byte[]> get(String requestId) {
    lock.lock();
    try {
      return Optional.ofNullable(byId.get(requestId));
    } finally {
      lock.unlock();
    }
  }

  void put(String requestId, byte[] value) {
    lock.lock();
    try {
      byte[] before = byId.put(requestId, value);
      bytes += weight(value) - (before == null ? 0 : weight(before));
      var oldest = byId.entrySet().iterator();
      while (bytes > maxBytes && oldest.hasNext()) {
        Map.Entry<String, byte[]> entry = oldest.next();
        bytes -= weight(entry.getValue());
        oldest.remove();
      }
    } finally {
      lock.unlock();
    }
  }

  private static long weight(byte[] value) {
    return (long) value.length + OVERHEAD;
  }
}
