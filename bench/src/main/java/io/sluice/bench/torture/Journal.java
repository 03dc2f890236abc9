package io.sluice.bench.torture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What the log says, by request. Thread-safe. */
final class Journal {
  private static final ObjectMapper JSON = new ObjectMapper();
  static final List<String> TOPICS =
      List.of(
          "sluice.replies",
          "sluice.requests.2k",
          "sluice.requests.8k",
          "sluice.bulk",
          "sluice.control",
          "sluice.outcomes",
          "sluice.dead-letters");

  private final Map<String, RequestLog> requests = new HashMap<>();
  private final List<String> unreadable = new ArrayList<>();

  synchronized void add(ConsumerRecord<String, byte[]> record) {
    switch (record.topic()) {
      case "sluice.replies" -> {
        Optional<ReplyLine> line = ReplyLine.of(record);
        line.ifPresentOrElse(
            reply -> of(reply.requestId()).reply(reply), () -> unreadable.add(record.toString()));
      }
      case "sluice.control" -> {
        String id = json(record).path("request_id").asText();
        of(id).cancelled(record.timestamp());
      }
      case "sluice.outcomes" -> {
        JsonNode outcome = json(record);
        if (outcome.path("type").asText().equals("failed")) {
          of(outcome.path("request_id").asText())
              .failed(new String(record.value(), StandardCharsets.UTF_8));
        }
      }
      case "sluice.dead-letters" ->
          ReplyLine.header(record, "request-id").ifPresent(id -> of(id).deadLetter());
      default ->
          ReplyLine.header(record, "request-id")
              .ifPresent(id -> of(id).appended(record.timestamp()));
    }
  }

  private RequestLog of(String id) {
    return requests.computeIfAbsent(id, unknown -> new RequestLog());
  }

  /** Looks at what is known of a request. */
  synchronized <T> T see(String id, Function<RequestLog, T> look) {
    return look.apply(of(id));
  }

  synchronized boolean isAppended(String id) {
    return of(id).appendMillis().isPresent();
  }

  synchronized boolean isOver(String id) {
    return of(id).reading().isOver();
  }

  /** Records of the reply topic that are no replies. */
  synchronized List<String> unreadable() {
    return List.copyOf(unreadable);
  }

  private static JsonNode json(ConsumerRecord<String, byte[]> record) {
    try {
      return JSON.readTree(record.value());
    } catch (IOException | IllegalArgumentException e) {
      return JSON.missingNode();
    }
  }
}
