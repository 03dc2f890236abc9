package io.sluice.producer.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.ReplyHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** One reply record as it stands in the log. */
final class ReplyRecord {
  private final ConsumerRecord<String, byte[]> record;
  private final ReplyHeaders headers;

  private ReplyRecord(ConsumerRecord<String, byte[]> record, ReplyHeaders headers) {
    this.record = record;
    this.headers = headers;
  }

  /** Empty if it is no reply record that this version understands. */
  static Optional<ReplyRecord> of(ConsumerRecord<String, byte[]> record) {
    return ReplyHeaders.parse(record.headers()).map(headers -> new ReplyRecord(record, headers));
  }

  TopicPartition partition() {
    return new TopicPartition(record.topic(), record.partition());
  }

  long offset() {
    return record.offset();
  }

  ReplyHeaders headers() {
    return headers;
  }

  byte[] value() {
    return record.value() == null ? new byte[0] : record.value();
  }

  String text() {
    return new String(value(), StandardCharsets.UTF_8);
  }

  /** The value as JSON; a missing node if it is none. */
  JsonNode json() {
    try {
      return Json.tree(value());
    } catch (IOException e) {
      return MissingNode.getInstance();
    }
  }
}
