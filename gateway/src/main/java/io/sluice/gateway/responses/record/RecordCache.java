package io.sluice.gateway.responses.record;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** The records that were used last, up to a number of bytes in all. Thread-safe. */
final class RecordCache {
  /** Ids and tables take some room too. */
  private static final int OVERHEAD = 512;

  private final long maxBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashMap<String, StoredResponse> byId = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  RecordCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  Optional<StoredResponse> get(String requestId) {
    lock.lock();
    try {
      return Optional.ofNullable(byId.get(requestId));
    } finally {
      lock.unlock();
    }
  }

  void put(StoredResponse stored) {
    lock.lock();
    try {
      StoredResponse before = byId.put(stored.requestId(), stored);
      bytes += weight(stored) - (before == null ? 0 : weight(before));
      var oldest = byId.entrySet().iterator();
      while (bytes > maxBytes && oldest.hasNext()) {
        Map.Entry<String, StoredResponse> entry = oldest.next();
        bytes -= weight(entry.getValue());
        oldest.remove();
      }
    } finally {
      lock.unlock();
    }
  }

  private static long weight(StoredResponse stored) {
    return (long) stored.json().length + OVERHEAD;
  }
}
