package io.sluice.producer.deadletter;

import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestHeaders;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * A request that could not be answered, without its body. It may also stand for a record of any
 * kind that a router failed to process: then its code is {@link #UNPROCESSED}, and its id is that
 * of the request, or the place of the record.
 *
 * @param epochMillis when it became a dead letter, by the broker's clock
 * @param code the error's code, such as {@code engine_error}
 * @param model the requested model; empty if it could not be read
 * @param headers the request's own headers, as text
 * @param sentEpochMillis when the request was appended
 * @param source the place of the request's record, as {@code topic-partition-offset}
 * @param redriveOf the id of the first request of its lineage; empty for that request itself
 * @param redriveCount how often it had been redriven when it was sent; 0 for the first request
 * @param redrivenAs the id under which it was sent again, if it was
 */
public record DeadLetter(
    String requestId,
    long epochMillis,
    String code,
    String message,
    String model,
    String tenant,
    Priority priority,
    Optional<String> replyTo,
    OptionalInt replyPartition,
    Map<String, String> headers,
    int bodyBytes,
    long sentEpochMillis,
    String source,
    AttemptHistory history,
    Optional<String> redriveOf,
    int redriveCount,
    Optional<String> redrivenAs) {

  /** The code of records that are not requests answered with an error. */
  public static final String UNPROCESSED = HeaderNames.UNPROCESSED;

  private static final Pattern PLACE = Pattern.compile("sluice\\..+-[0-9]+-[0-9]+");

  /** Returns whether an id may be the place of a record, whose copy may be on any partition. */
  static boolean isPlace(String id) {
    return PLACE.matcher(id).matches();
  }

  /** Reads a record that was not written by a router. */
  static DeadLetter unprocessed(ConsumerRecord<String, byte[]> record) {
    Headers headers = record.headers();
    String place = record.topic() + "-" + record.partition() + "-" + record.offset();
    RequestHeaders request = RequestHeaders.parse(headers, place, Priority.INTERACTIVE).headers();
    return new DeadLetter(
        place,
        record.timestamp(),
        UNPROCESSED,
        "not written by a router",
        "",
        request.tenant(),
        request.priority(),
        request.replyTopic(),
        request.replyPartition(),
        texts(headers),
        record.value() == null ? 0 : record.value().length,
        record.timestamp(),
        place,
        AttemptHistory.NONE,
        Optional.empty(),
        0,
        Optional.empty());
  }

  /** Reads the record of a dead letter. */
  static DeadLetter of(ConsumerRecord<String, byte[]> record) {
    Headers headers = record.headers();
    String id = idOf(record);
    RequestHeaders request = RequestHeaders.parse(headers, id, Priority.INTERACTIVE).headers();
    return new DeadLetter(
        id,
        record.timestamp(),
        HeaderText.get(headers, HeaderNames.ERROR_CODE).orElse("unknown"),
        HeaderText.get(headers, HeaderNames.ERROR_MESSAGE).orElse(""),
        HeaderText.get(headers, HeaderNames.MODEL).orElse(""),
        request.tenant(),
        request.priority(),
        request.replyTopic(),
        request.replyPartition(),
        texts(headers),
        record.value() == null ? 0 : record.value().length,
        HeaderText.getLong(headers, HeaderNames.APPEND_TIME).orElse(record.timestamp()),
        place(
            HeaderText.get(headers, HeaderNames.SOURCE_TOPIC),
            HeaderText.get(headers, HeaderNames.SOURCE_PARTITION),
            HeaderText.get(headers, HeaderNames.SOURCE_OFFSET)),
        HeaderText.get(headers, HeaderNames.HISTORY)
            .flatMap(AttemptHistory::parse)
            .orElse(AttemptHistory.NONE),
        HeaderText.get(headers, HeaderNames.REDRIVE_OF),
        Math.max(0, HeaderText.getInt(headers, HeaderNames.REDRIVE_COUNT).orElse(0)),
        Optional.empty());
  }

  private static String place(
      Optional<String> topic, Optional<String> partition, Optional<String> offset) {
    return topic.orElse("unknown") + "-" + partition.orElse("?") + "-" + offset.orElse("?");
  }

  static String idOf(ConsumerRecord<String, byte[]> record) {
    return HeaderText.get(record.headers(), HeaderNames.REQUEST_ID)
        .orElseGet(() -> record.key() == null ? "unknown" : record.key());
  }

  DeadLetter redrivenAs(String id) {
    return new DeadLetter(
        requestId,
        epochMillis,
        code,
        message,
        model,
        tenant,
        priority,
        replyTo,
        replyPartition,
        headers,
        bodyBytes,
        sentEpochMillis,
        source,
        history,
        redriveOf,
        redriveCount,
        Optional.of(id));
  }

  private static Map<String, String> texts(Headers headers) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (Header header : headers) {
      if (!HeaderNames.OF_DEAD_LETTERS.contains(header.key()) && header.value() != null) {
        texts.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
      }
    }
    return texts;
  }
}
