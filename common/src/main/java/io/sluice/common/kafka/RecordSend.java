package io.sluice.common.kafka;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;

/**
 * Sends a record so that its sender learns of every failure in one way. A producer hands most
 * failures to the callback, but throws some: when it is closed, when it cannot continue, and when
 * its buffer stays full.
 */
public final class RecordSend {
  private RecordSend() {}

  /**
   * Sends a record.
   *
   * @param onCompletion called exactly once: on the producer's I/O thread, or on this thread if the
   *     producer throws
   */
  public static <K, V> void send(
      Producer<K, V> producer, ProducerRecord<K, V> record, Callback onCompletion) {
    try {
      var _ = producer.send(record, onCompletion);
    } catch (KafkaException | IllegalStateException e) {
      onCompletion.onCompletion(null, e);
    }
  }

  /**
   * Sends a record.
   *
   * @return completes with the record's place in the log when the brokers have acknowledged it,
   *     exceptionally if it could not be written
   */
  public static <K, V> CompletableFuture<RecordMetadata> send(
      Producer<K, V> producer, ProducerRecord<K, V> record) {
    CompletableFuture<RecordMetadata> written = new CompletableFuture<>();
    send(
        producer,
        record,
        (metadata, failure) -> {
          if (failure == null) {
            written.complete(metadata);
          } else {
            written.completeExceptionally(failure);
          }
        });
    return written;
  }
}
