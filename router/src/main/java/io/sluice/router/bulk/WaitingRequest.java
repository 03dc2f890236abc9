package io.sluice.router.bulk;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestHeaders;
import io.sluice.common.protocol.Slack;
import io.sluice.router.schedule.RequestBody;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * A request of the bulk topic that has not entered yet.
 *
 * @param parsed what its headers say, where bulk is the default priority
 */
record WaitingRequest(ConsumerRecord<byte[], byte[]> record, RequestHeaders.Parsed parsed) {
  private static final int MAX_KEY_BYTES = 4_096;

  static WaitingRequest of(ConsumerRecord<byte[], byte[]> record) {
    String place = record.topic() + "-" + record.partition() + "-" + record.offset();
    return new WaitingRequest(record, RequestHeaders.parse(record.headers(), place, Priority.BULK));
  }

  String requestId() {
    return parsed.headers().requestId();
  }

  /** From when on it has no more time to spare, so that it enters whatever room there is. */
  long slackEndsMillis() {
    return Slack.endsAtMillis(record.timestamp(), deadlineMillis());
  }

  /**
   * The headers under which it enters. Where they were garbled they stay so, for the one who
   * answers. One that no lane takes for its size enters without its body, and is refused there.
   */
  Headers entering(long nowEpochMillis) {
    var headers = new RecordHeaders(entering().headers().toArray());
    HeaderText.set(headers, HeaderNames.REQUEST_ID, requestId());
    if (parsed.problem().isEmpty()) {
      // The deadline counts from when the request came, not from when it was let in.
      HeaderText.set(headers, HeaderNames.DEADLINE, Long.toString(deadlineMillis()));
      Priority priority = parsed.headers().priority();
      boolean isPromoted = priority == Priority.BULK && slackEndsMillis() <= nowEpochMillis;
      HeaderText.set(
          headers,
          HeaderNames.PRIORITY,
          (isPromoted ? Priority.INTERACTIVE : priority).headerValue());
      headers.remove(HeaderNames.TIMEOUT_MS);
    }
    return headers;
  }

  /** The value with which it enters. */
  byte[] enteringValue() {
    return entering().value();
  }

  /** Its key, which decides nothing any more, and may be of any length. */
  byte @Nullable [] enteringKey() {
    return record.key() == null || record.key().length > MAX_KEY_BYTES ? null : record.key();
  }

  private RequestBody entering() {
    return RequestBody.of(record.headers(), record.value() == null ? new byte[0] : record.value());
  }

  long deadlineMillis() {
    return parsed.headers().deadline(record.timestamp());
  }
}
