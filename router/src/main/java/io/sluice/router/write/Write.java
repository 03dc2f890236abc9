package io.sluice.router.write;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A record on its way into the log. Thread-safe. */
final class Write {
  private static final int OVERHEAD_BYTES = 200;
  private static final Logger log = LoggerFactory.getLogger(Write.class);

  private final ProducerRecord<String, byte[]> record;
  private final long expiresNanos;
  private final long bytes;
  private final CompletableFuture<Void> written = new CompletableFuture<>();

  /** Creates a write that is useful until this monotonic time. */
  Write(ProducerRecord<String, byte[]> record, long expiresNanos) {
    this.record = record;
    this.expiresNanos = expiresNanos;
    this.bytes = sizeOf(record);
  }

  ProducerRecord<String, byte[]> record() {
    return record;
  }

  /** Returns its approximate size. */
  long bytes() {
    return bytes;
  }

  /** Completes when it is decided whether the record is written. */
  CompletableFuture<Void> written() {
    return written;
  }

  boolean isExpired(long nowNanos) {
    return nowNanos - expiresNanos >= 0;
  }

  void succeed() {
    written.complete(null);
  }

  void fail(Exception failure) {
    if (written.completeExceptionally(failure)) {
      log.warn(
          "event=record_not_written topic={} partition={} request={} reason=\"{}\"",
          record.topic(),
          record.partition(),
          record.key(),
          failure.getMessage());
    }
  }

  private static long sizeOf(ProducerRecord<String, byte[]> record) {
    long bytes = (long) OVERHEAD_BYTES + record.value().length;
    for (Header header : record.headers()) {
      int value = header.value() == null ? 0 : header.value().length;
      bytes += header.key().getBytes(StandardCharsets.UTF_8).length + value;
    }
    return bytes;
  }
}
