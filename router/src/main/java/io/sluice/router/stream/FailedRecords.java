package io.sluice.router.stream;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Topics;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.router.parse.RequestReader;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.write.RecordWriter;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets aside records on which the router's own code fails, which is a bug, so that their partition
 * continues. A dead letter names the place of such a record. For the task's thread only.
 */
final class FailedRecords {
  /** Higher than any attempt that may be written elsewhere for the request. */
  private static final int ATTEMPT = 1_000;

  private static final Logger log = LoggerFactory.getLogger(FailedRecords.class);

  private final RecordWriter writer;
  private final RequestReader reader;

  FailedRecords(RecordWriter writer, RequestReader reader) {
    this.writer = writer;
    this.reader = reader;
  }

  /** Returns what can be read of a record on a request topic; empty if that fails too. */
  Optional<RequestMetadata> metadata(Record<byte[], byte[]> record, RecordMetadata at) {
    if (at.topic().equals(Topics.OUTCOMES) || at.topic().equals(Topics.CONTROL)) {
      return Optional.empty();
    }
    try {
      var source = new RequestMetadata.Source(at.topic(), at.partition(), at.offset());
      return Optional.of(
          reader.read(source, record.headers(), record.value(), record.timestamp()).metadata());
    } catch (RuntimeException e) {
      log.debug("event=record_unreadable", e);
      return Optional.empty();
    }
  }

  /**
   * Writes a dead letter with the record's place, and tells its sender.
   *
   * @param metadata of the request that the record would have been
   */
  void setAside(
      Record<byte[], byte[]> record,
      RecordMetadata at,
      Optional<RequestMetadata> metadata,
      RuntimeException failure) {
    log.error(
        "event=record_failed topic={} partition={} offset={} effect=\"written as a dead letter; the partition continues\"",
        at.topic(),
        at.partition(),
        at.offset(),
        failure);
    String place = at.topic() + "-" + at.partition() + "-" + at.offset();
    String id = metadata.map(RequestMetadata::requestId).orElse(place);
    var _ = writer.write(deadLetter(id, record, at, failure), StreamEffects.WRITE_WITHIN);
    metadata.ifPresent(known -> tell(known, place));
  }

  private ProducerRecord<String, byte[]> deadLetter(
      String id, Record<byte[], byte[]> record, RecordMetadata at, RuntimeException failure) {
    Headers headers = UnprocessedHeaders.headers(id, failure.toString());
    HeaderText.put(headers, HeaderNames.SOURCE_TOPIC, at.topic());
    HeaderText.put(headers, HeaderNames.SOURCE_PARTITION, at.partition());
    HeaderText.put(headers, HeaderNames.SOURCE_OFFSET, at.offset());
    HeaderText.put(headers, HeaderNames.APPEND_TIME, record.timestamp());
    int partition = writer.partition(Topics.DEAD_LETTERS, id);
    return new ProducerRecord<>(Topics.DEAD_LETTERS, partition, id, new byte[0], headers);
  }

  private void tell(RequestMetadata metadata, String place) {
    Headers headers = new RecordHeaders();
    String lease = UUID.randomUUID().toString();
    ReplyHeaders.of(metadata.requestId(), ReplyKind.ERROR, ATTEMPT, lease, 0)
        .ofTenant(metadata.tenant())
        .writeTo(headers);
    byte[] error =
        ErrorKind.ENGINE_ERROR.toJson(
            "an internal error of the router; its operator finds the request as " + place);
    var _ =
        writer.write(
            new ProducerRecord<>(
                metadata.replyTo().topic(),
                metadata.replyTo().partition(),
                metadata.requestId(),
                error,
                headers),
            StreamEffects.WRITE_WITHIN);
  }
}
