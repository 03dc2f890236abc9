package io.sluice.bench.torture.log;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.torture.load.PlannedRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * One reply record, as docs/protocol.md describes it; read without any class of the product.
 *
 * @param seenMillis when this process read it, by its own clock: brokers' clocks may be skewed
 * @param index -1 where the record has none
 * @param pieces text by choice, of what a chunk adds, or a whole answer holds
 * @param value the JSON of a final, error or pointer; empty for tokens and claims
 */
public record ReplyLine(
    String topic,
    int partition,
    long offset,
    long seenMillis,
    String requestId,
    String kind,
    int attempt,
    String lease,
    String mode,
    int index,
    int count,
    String worker,
    List<Piece> pieces,
    String value,
    long checksum) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What a chunk adds to a choice, or all of it. */
  public record Piece(int choice, String text) {}

  /** Empty if it is no reply at all, or its value is not JSON. */
  static Optional<ReplyLine> of(ConsumerRecord<String, byte[]> record, long seenMillis) {
    Optional<String> requestId = header(record, "request-id");
    Optional<String> kind = header(record, "kind");
    if (requestId.isEmpty() || kind.isEmpty()) {
      return Optional.empty();
    }
    boolean hasOutput = kind.get().equals("tokens") || kind.get().equals("final");
    boolean isKept = !kind.get().equals("tokens") && !kind.get().equals("claim");
    byte[] value = record.value() == null ? new byte[0] : record.value();
    try {
      return Optional.of(
          new ReplyLine(
              record.topic(),
              record.partition(),
              record.offset(),
              seenMillis,
              requestId.get(),
              kind.get(),
              number(record, "attempt", 0),
              header(record, "lease").orElse(""),
              header(record, "mode").orElse(""),
              number(record, "index", -1),
              number(record, "count", -1),
              header(record, "worker").orElse(""),
              hasOutput ? pieces(JSON.readTree(value)) : List.of(),
              isKept ? new String(value, StandardCharsets.UTF_8) : "",
              checksum(value)));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** The same for whoever reads it, whenever that is. */
  public ReplyLine asRecorded() {
    return new ReplyLine(
        topic, partition, offset, 0, requestId, kind, attempt, lease, mode, index, count, worker,
        pieces, value, checksum);
  }

  /** Whether it ends a request, if it counts. */
  public boolean isEnd() {
    return kind.equals("final") || kind.equals("error");
  }

  /** The code of an error; empty if it is none. */
  public String errorCode() {
    return kind.equals("error") ? json().path("error").path("code").asText() : "";
  }

  public JsonNode json() {
    try {
      return JSON.readTree(value);
    } catch (JsonProcessingException e) {
      return JSON.missingNode();
    }
  }

  static Optional<String> header(ConsumerRecord<?, ?> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null || header.value() == null
        ? Optional.empty()
        : Optional.of(new String(header.value(), StandardCharsets.UTF_8));
  }

  private static int number(ConsumerRecord<?, ?> record, String name, int absent) {
    return header(record, name).map(Integer::parseInt).orElse(absent);
  }

  private static List<Piece> pieces(JsonNode chunk) {
    List<Piece> pieces = new ArrayList<>();
    for (JsonNode choice : chunk.path("choices")) {
      String whole = choice.path("message").path("content").asText("");
      String text = choice.path("delta").path("content").asText(choice.path("text").asText(whole));
      if (!text.isEmpty()) {
        pieces.add(new Piece(choice.path("index").asInt(), text));
      }
    }
    return pieces;
  }

  private static long checksum(byte[] value) {
    var sum = new CRC32();
    sum.update(value);
    return sum.getValue();
  }

  /** For the report of a violation. */
  @Override
  public String toString() {
    return "%s%d-%d %tT.%<tL %s attempt=%d lease=%s%s index=%d count=%d worker=%s %s"
        .formatted(
            topic.equals(PlannedRequest.REPLIES) ? "" : topic + " ",
            partition,
            offset,
            seenMillis,
            kind,
            attempt,
            lease,
            mode.isEmpty() ? "" : " mode=" + mode,
            index,
            count,
            worker,
            value.length() > 300 ? value.substring(0, 300) + "..." : value);
  }
}
