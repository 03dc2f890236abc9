package io.sluice.router.bulk;

import java.util.LinkedHashMap;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The most recently read records, so that a request that enters at once need not be read twice.
 * Bounded in bytes. Not thread-safe.
 */
final class RecentRecords {
  private static final long MOST_BYTES = 16L * 1024 * 1024;

  private final LinkedHashMap<ParkedRequest, ConsumerRecord<byte[], byte[]>> records =
      new LinkedHashMap<>();
  private long bytes;

  void add(ParkedRequest request, ConsumerRecord<byte[], byte[]> record) {
    records.putLast(request, record);
    bytes += request.bytes();
    while (bytes > MOST_BYTES) {
      bytes -= records.pollFirstEntry().getKey().bytes();
    }
  }

  /** Removes and returns a record, if it is still there. */
  Optional<ConsumerRecord<byte[], byte[]>> take(ParkedRequest request) {
    var record = Optional.ofNullable(records.remove(request));
    record.ifPresent(any -> bytes -= request.bytes());
    return record;
  }

  void clear() {
    records.clear();
    bytes = 0;
  }
}
