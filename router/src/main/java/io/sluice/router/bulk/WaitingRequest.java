package io.sluice.router.bulk;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestHeaders;
import io.sluice.common.protocol.Slack;
import io.sluice.common.protocol.Topics;
import io.sluice.router.request.RequestBody;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * A request of the bulk topic that has not entered yet.
 *
 * @param parsed its headers, with bulk as the default priority
 */
record WaitingRequest(ConsumerRecord<byte[], byte[]> record, RequestHeaders.Parsed parsed) {
  private static final int MAX_KEY_BYTES = 4_096;
  private static final byte[] NOTHING = new byte[0];

  static WaitingRequest of(ConsumerRecord<byte[], byte[]> record) {
    String place = record.topic() + "-" + record.partition() + "-" + record.offset();
    return new WaitingRequest(record, RequestHeaders.parse(record.headers(), place, Priority.BULK));
  }

  String requestId() {
    return parsed.headers().requestId();
  }

  /**
   * Returns the time from which it is deadline-critical and enters regardless of room.
   *
   * @param appendTimeMillis when it was appended, by the caller's choice of clock
   */
  long slackEndsMillis(long appendTimeMillis) {
    return Slack.endsAtMillis(appendTimeMillis, deadlineMillis(appendTimeMillis));
  }

  /**
   * Returns the record under which it enters its lane. Malformed headers stay as they are, for the
   * scheduler to refuse. A request that its lane does not accept, because it is too large
   * uncompressed, enters without its body and is refused there.
   */
  ProducerRecord<byte[], byte[]> entering(ParkedRequest parked, long nowEpochMillis) {
    return entering(record, parked, own -> entering(parked, own, nowEpochMillis));
  }

  /**
   * Returns the same for a record at which the router fails: as it is, for the scheduler to answer
   * or to set aside.
   */
  static ProducerRecord<byte[], byte[]> unread(
      ConsumerRecord<byte[], byte[]> record, ParkedRequest parked) {
    return entering(record, parked, WaitingRequest::asBulk);
  }

  private static ProducerRecord<byte[], byte[]> entering(
      ConsumerRecord<byte[], byte[]> record, ParkedRequest parked, UnaryOperator<Headers> changed) {
    byte[] value = Objects.requireNonNullElse(record.value(), NOTHING);
    RequestBody fitting = RequestBody.of(record.headers(), value);
    return new ProducerRecord<>(
        topicOf(parked),
        record.partition(),
        enteringKey(record),
        fitting.value(),
        changed.apply(fitting.headers()));
  }

  /** Returns the topic of the lane that it enters. */
  static String topicOf(ParkedRequest parked) {
    return Topics.requests(Lane.parse(parked.line().kind().lane()));
  }

  private static Headers asBulk(Headers own) {
    if (own.lastHeader(HeaderNames.PRIORITY) == null) {
      HeaderText.put(own, HeaderNames.PRIORITY, Priority.BULK.headerValue());
    }
    return own;
  }

  private Headers entering(ParkedRequest parked, Headers own, long nowEpochMillis) {
    var headers = new RecordHeaders(own.toArray());
    HeaderText.set(headers, HeaderNames.REQUEST_ID, requestId());
    if (parsed.problem().isEmpty()) {
      // The deadline counts from the arrival of the request, not from its admission.
      HeaderText.set(headers, HeaderNames.DEADLINE, Long.toString(parked.deadlineMillis()));
      Priority priority = parsed.headers().priority();
      boolean isPromoted = priority == Priority.BULK && parked.slackEndsMillis() <= nowEpochMillis;
      HeaderText.set(
          headers,
          HeaderNames.PRIORITY,
          (isPromoted ? Priority.INTERACTIVE : priority).headerValue());
      headers.remove(HeaderNames.PROMOTED);
      if (isPromoted) {
        HeaderText.put(headers, HeaderNames.PROMOTED, "1");
      }
      headers.remove(HeaderNames.TIMEOUT_MS);
    }
    return headers;
  }

  /** Returns its key, which no longer decides anything and may have any length. */
  private static byte @Nullable [] enteringKey(ConsumerRecord<byte[], byte[]> record) {
    return record.key() == null || record.key().length > MAX_KEY_BYTES ? null : record.key();
  }

  long deadlineMillis(long appendTimeMillis) {
    return parsed.headers().deadline(appendTimeMillis);
  }
}
