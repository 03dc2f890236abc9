package io.sluice.bench.torture.log;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RecordPosition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * One reply record, as docs/protocol.md describes it. It is parsed without any class of the
 * product, so that an error in those is found.
 *
 * @param seenMillis when this process read it, by its own clock, since brokers' clocks may be
 *     skewed
 */
public record ReplyRecord(
    RecordPosition position, long seenMillis, Headers headers, Payload payload) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The headers of a reply.
   *
   * @param mode of a claim; empty for all other kinds
   * @param index -1 if the record has none
   * @param count -1 if the record has none
   */
  public record Headers(
      String requestId,
      String kind,
      int attempt,
      String lease,
      String mode,
      int index,
      int count,
      String worker) {}

  /**
   * What is read of the value.
   *
   * @param pieces the text by choice that a chunk adds, or that a whole answer holds
   * @param value the JSON of a final, error or pointer; empty for tokens and claims
   * @param checksum of all bytes of the value
   */
  public record Payload(List<Piece> pieces, String value, long checksum) {
    public Payload {
      pieces = List.copyOf(pieces);
    }
  }

  /** What a chunk adds to a choice, or all of it. */
  public record Piece(int choice, String text) {}

  /** Parses a record; empty if it is not a reply, or if its value is not JSON. */
  static Optional<ReplyRecord> of(ConsumerRecord<String, byte[]> record, long seenMillis) {
    Optional<String> requestId = header(record, "request-id");
    Optional<String> kind = header(record, "kind");
    if (requestId.isEmpty() || kind.isEmpty()) {
      return Optional.empty();
    }
    byte[] value = record.value() == null ? new byte[0] : record.value();
    try {
      var headers =
          new Headers(
              requestId.get(),
              kind.get(),
              number(record, "attempt", 0),
              header(record, "lease").orElse(""),
              header(record, "mode").orElse(""),
              number(record, "index", -1),
              number(record, "count", -1),
              header(record, "worker").orElse(""));
      var position = new RecordPosition(record.topic(), record.partition(), record.offset());
      return Optional.of(
          new ReplyRecord(position, seenMillis, headers, payload(kind.get(), value)));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static Payload payload(String kind, byte[] value) throws IOException {
    boolean hasOutput = kind.equals("tokens") || kind.equals("final");
    boolean isKept = !kind.equals("tokens") && !kind.equals("claim");
    return new Payload(
        hasOutput ? pieces(JSON.readTree(value)) : List.of(),
        isKept ? new String(value, StandardCharsets.UTF_8) : "",
        checksum(value));
  }

  /** Without the time of reading: equal for all readers of the record. */
  public ReplyRecord asRecorded() {
    return new ReplyRecord(position, 0, headers, payload);
  }

  public String topic() {
    return position.topic();
  }

  public String requestId() {
    return headers.requestId();
  }

  public String kind() {
    return headers.kind();
  }

  public int attempt() {
    return headers.attempt();
  }

  public String lease() {
    return headers.lease();
  }

  public String mode() {
    return headers.mode();
  }

  public int index() {
    return headers.index();
  }

  public int count() {
    return headers.count();
  }

  public String worker() {
    return headers.worker();
  }

  public List<Piece> pieces() {
    return payload.pieces();
  }

  public String value() {
    return payload.value();
  }

  /** Returns whether it ends a request, provided that it counts. */
  public boolean isEnd() {
    return kind().equals("final") || kind().equals("error");
  }

  /** Returns the code of an error; empty for other kinds. */
  public String errorCode() {
    return kind().equals("error") ? json().path("error").path("code").asText() : "";
  }

  public JsonNode json() {
    try {
      return JSON.readTree(value());
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

  /** Returns one line for the report of a violation. */
  @Override
  public String toString() {
    return "%s%d-%d %tT.%<tL %s attempt=%d lease=%s%s index=%d count=%d worker=%s %s"
        .formatted(
            topic().equals(PlannedRequest.REPLIES) ? "" : topic() + " ",
            position.partition(),
            position.offset(),
            seenMillis,
            kind(),
            attempt(),
            lease(),
            mode().isEmpty() ? "" : " mode=" + mode(),
            index(),
            count(),
            worker(),
            value().length() > 300 ? value().substring(0, 300) + "..." : value());
  }
}
