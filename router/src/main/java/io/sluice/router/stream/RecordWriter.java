package io.sluice.router.stream;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the router's own reply records and dead letters and says when each is acknowledged, which
 * a Kafka Streams sink does not. Shared by all tasks; thread-safe.
 */
public final class RecordWriter {
  private static final Logger log = LoggerFactory.getLogger(RecordWriter.class);

  private final Producer<String, byte[]> producer;

  /**
   * A writer over a producer that it does not own.
   *
   * @param producer idempotent, with acks=all and bounded time-outs
   */
  public RecordWriter(Producer<String, byte[]> producer) {
    this.producer = producer;
  }

  /**
   * Sends one record.
   *
   * @return completes on the producer's thread once the record is in the log, exceptionally if it
   *     could not be written in the producer's time
   */
  CompletableFuture<Void> write(ProducerRecord<String, byte[]> record) {
    CompletableFuture<Void> written = new CompletableFuture<>();
    try {
      var _ =
          producer.send(
              record,
              (metadata, failure) -> {
                if (failure == null) {
                  written.complete(null);
                } else {
                  notWritten(record, failure, written);
                }
              });
    } catch (KafkaException | IllegalStateException e) {
      // Thrown, not handed to the callback, by a producer that is closed or cannot go on.
      notWritten(record, e, written);
    }
    return written;
  }

  private static void notWritten(
      ProducerRecord<String, byte[]> record, Exception failure, CompletableFuture<Void> written) {
    log.warn(
        "event=record_not_written topic={} partition={} request={} reason=\"{}\"",
        record.topic(),
        record.partition(),
        record.key(),
        failure.getMessage());
    written.completeExceptionally(failure);
  }
}
