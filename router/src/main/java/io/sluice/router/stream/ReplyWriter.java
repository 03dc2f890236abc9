package io.sluice.router.stream;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the router's own reply records and says when each is acknowledged, which a Kafka Streams
 * sink does not. Shared by all tasks; thread-safe.
 */
public final class ReplyWriter {
  private static final Logger log = LoggerFactory.getLogger(ReplyWriter.class);

  private final Producer<String, byte[]> producer;

  /**
   * A writer over a producer that it does not own.
   *
   * @param producer idempotent, with acks=all and bounded time-outs
   */
  public ReplyWriter(Producer<String, byte[]> producer) {
    this.producer = producer;
  }

  /**
   * Sends one record.
   *
   * @param written called on the producer's thread once the record is in the log
   * @param failed called if it could not be written in the producer's time
   */
  void write(ProducerRecord<String, byte[]> record, Runnable written, Runnable failed) {
    try {
      var _ =
          producer.send(
              record,
              (metadata, failure) -> {
                if (failure == null) {
                  written.run();
                } else {
                  notWritten(record, failure, failed);
                }
              });
    } catch (KafkaException | IllegalStateException e) {
      // Thrown, not handed to the callback, by a producer that is closed or cannot go on.
      notWritten(record, e, failed);
    }
  }

  private static void notWritten(
      ProducerRecord<String, byte[]> record, Exception failure, Runnable failed) {
    log.warn(
        "event=reply_not_written topic={} partition={} request={} reason=\"{}\"",
        record.topic(),
        record.partition(),
        record.key(),
        failure.getMessage());
    failed.run();
  }
}
