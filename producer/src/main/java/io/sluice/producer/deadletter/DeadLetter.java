package io.sluice.producer.deadletter;

import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestHeaders;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
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
 * kind that a router failed to process: then its code is {@code unprocessed}, and its id is that of
 * the request, or the place of the record.
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
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
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
  private static final String UNPROCESSED = HeaderNames.UNPROCESSED;

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
    return DeadLetterBuilder.builder()
        .requestId(place)
        .epochMillis(record.timestamp())
        .code(UNPROCESSED)
        .message("not written by a router")
        .model("")
        .tenant(request.tenant())
        .priority(request.priority())
        .replyPartition(request.replyPartition())
        .headers(texts(headers))
        .bodyBytes(record.value() == null ? 0 : record.value().length)
        .sentEpochMillis(record.timestamp())
        .source(place)
        .history(AttemptHistory.NONE)
        .redriveCount(0)
        .replyTo(request.replyTopic())
        .build();
  }

  /** Reads the record of a dead letter. */
  static DeadLetter of(ConsumerRecord<String, byte[]> record) {
    Headers headers = record.headers();
    String id = idOf(record);
    RequestHeaders request = RequestHeaders.parse(headers, id, Priority.INTERACTIVE).headers();
    return DeadLetterBuilder.builder()
        .requestId(id)
        .epochMillis(record.timestamp())
        .code(HeaderText.get(headers, HeaderNames.ERROR_CODE).orElse("unknown"))
        .message(HeaderText.get(headers, HeaderNames.ERROR_MESSAGE).orElse(""))
        .model(HeaderText.get(headers, HeaderNames.MODEL).orElse(""))
        .tenant(request.tenant())
        .priority(request.priority())
        .replyPartition(request.replyPartition())
        .headers(texts(headers))
        .bodyBytes(record.value() == null ? 0 : record.value().length)
        .sentEpochMillis(
            HeaderText.getLong(headers, HeaderNames.APPEND_TIME).orElse(record.timestamp()))
        .source(
            place(
                HeaderText.get(headers, HeaderNames.SOURCE_TOPIC),
                HeaderText.get(headers, HeaderNames.SOURCE_PARTITION),
                HeaderText.get(headers, HeaderNames.SOURCE_OFFSET)))
        .history(
            HeaderText.get(headers, HeaderNames.HISTORY)
                .flatMap(AttemptHistory::parse)
                .orElse(AttemptHistory.NONE))
        .redriveCount(Math.max(0, HeaderText.getInt(headers, HeaderNames.REDRIVE_COUNT).orElse(0)))
        .replyTo(request.replyTopic())
        .redriveOf(HeaderText.get(headers, HeaderNames.REDRIVE_OF))
        .build();
  }

  private static String place(
      Optional<String> topic, Optional<String> partition, Optional<String> offset) {
    return topic.orElse("unknown") + "-" + partition.orElse("?") + "-" + offset.orElse("?");
  }

  static String idOf(ConsumerRecord<String, byte[]> record) {
    return HeaderText.get(record.headers(), HeaderNames.REQUEST_ID)
        .orElseGet(() -> record.key() == null ? "unknown" : record.key());
  }

  /** Returns whether it reports a record that a router failed to process. */
  public boolean isUnprocessed() {
    return code.equals(UNPROCESSED);
  }

  DeadLetter redrivenAs(String id) {
    return DeadLetterBuilder.builder(this).redrivenAs(Optional.of(id)).build();
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
