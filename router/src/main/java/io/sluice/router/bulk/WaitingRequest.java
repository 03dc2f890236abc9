package io.sluice.router.bulk;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestHeaders;
import io.sluice.common.protocol.Slack;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A request of the bulk topic that has not entered yet.
 *
 * @param parsed what its headers say, where bulk is the default priority
 */
record WaitingRequest(ConsumerRecord<byte[], byte[]> record, RequestHeaders.Parsed parsed) {

  static WaitingRequest of(ConsumerRecord<byte[], byte[]> record) {
    return new WaitingRequest(record, RequestHeaders.parse(record.headers(), "", Priority.BULK));
  }

  TopicPartition partition() {
    return new TopicPartition(record.topic(), record.partition());
  }

  /** Whether it has no more time to spare, so that it enters whatever room there is for bulk. */
  boolean isHurried(long nowEpochMillis) {
    return Slack.endsAtMillis(record.timestamp(), deadline()) <= nowEpochMillis;
  }

  /**
   * The headers under which it enters. Where they were garbled they stay so, for the one who
   * answers.
   */
  Headers entering(String requestId, long nowEpochMillis) {
    var headers = new RecordHeaders(record.headers().toArray());
    HeaderText.set(headers, HeaderNames.REQUEST_ID, requestId);
    if (parsed.problem().isEmpty()) {
      // The deadline counts from when the request came, not from when it was let in.
      HeaderText.set(headers, HeaderNames.DEADLINE, Long.toString(deadline()));
      Priority priority = parsed.headers().priority();
      boolean isPromoted = priority == Priority.BULK && isHurried(nowEpochMillis);
      HeaderText.set(
          headers,
          HeaderNames.PRIORITY,
          (isPromoted ? Priority.INTERACTIVE : priority).headerValue());
      headers.remove(HeaderNames.TIMEOUT_MS);
    }
    return headers;
  }

  private long deadline() {
    return parsed.headers().deadline(record.timestamp());
  }
}
