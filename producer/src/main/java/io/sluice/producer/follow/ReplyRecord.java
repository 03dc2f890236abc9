package io.sluice.producer.follow;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.Utf8Text;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** A reply record as it is stored in the log. */
public final class ReplyRecord {
  private final ConsumerRecord<String, byte[]> record;
  private final ReplyHeaders headers;

  private ReplyRecord(ConsumerRecord<String, byte[]> record, ReplyHeaders headers) {
    this.record = record;
    this.headers = headers;
  }

  /** Parses a record; empty if it is not a reply record that this version understands. */
  public static Optional<ReplyRecord> of(ConsumerRecord<String, byte[]> record) {
    return ReplyHeaders.parse(record.headers()).map(headers -> new ReplyRecord(record, headers));
  }

  /**
   * Returns whether the record says that this tenant's request was rejected because another
   * tenant's request has the same id. Such a record belongs to no attempt and is not part of the
   * other tenant's answer.
   */
  public boolean refuses(Optional<String> tenant) {
    return headers.kind() == ReplyKind.ERROR
        && headers.attempt() == 0
        && tenant.isPresent()
        && HeaderText.get(record.headers(), HeaderNames.TENANT).equals(tenant);
  }

  public TopicPartition partition() {
    return new TopicPartition(record.topic(), record.partition());
  }

  public long offset() {
    return record.offset();
  }

  public ReplyHeaders headers() {
    return headers;
  }

  public byte[] bytes() {
    return record.value() == null ? new byte[0] : record.value();
  }

  public Utf8Text value() {
    return Utf8Text.of(bytes());
  }

  public String text() {
    return value().toString();
  }

  /** Returns the value as JSON; a missing node if it is not JSON. */
  public JsonNode json() {
    return value().json();
  }
}
