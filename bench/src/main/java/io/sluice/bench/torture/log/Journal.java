package io.sluice.bench.torture.log;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.torture.load.Place;
import io.sluice.bench.torture.load.PlannedRequest;
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
public final class Journal {
  private static final ObjectMapper JSON = new ObjectMapper();
  public static final List<String> TOPICS =
      List.of(
          PlannedRequest.REPLIES,
          PlannedRequest.LANE,
          PlannedRequest.LONGER_LANE,
          PlannedRequest.BULK,
          "sluice.control",
          "sluice.outcomes",
          "sluice.dead-letters",
          ReplyTopics.ELSEWHERE);

  private final Map<String, RequestLog> requests = new HashMap<>();
  private final Map<Place, List<String>> letters = new HashMap<>();
  private final List<String> unreadable = new ArrayList<>();

  /**
   * Takes the next record of its partition.
   *
   * @param seenMillis when it was read
   */
  public synchronized void add(ConsumerRecord<String, byte[]> record, long seenMillis) {
    switch (record.topic()) {
      case "sluice.control" -> {
        String id = json(record).path("request_id").asText();
        of(id).cancelled(seenMillis);
      }
      case "sluice.outcomes" -> outcome(record);
      case "sluice.dead-letters" -> letter(record);
      case PlannedRequest.LANE, PlannedRequest.LONGER_LANE, PlannedRequest.BULK ->
          ReplyLine.header(record, "request-id").ifPresent(id -> of(id).appended(seenMillis));
      default ->
          ReplyLine.of(record, seenMillis)
              .ifPresentOrElse(
                  reply -> of(reply.requestId()).reply(reply),
                  () -> unreadable.add(shortened(record)));
    }
  }

  private void outcome(ConsumerRecord<String, byte[]> record) {
    JsonNode outcome = json(record);
    RequestLog log = of(outcome.path("request_id").asText());
    switch (outcome.path("type").asText()) {
      case "failed" -> log.failed(new String(record.value(), StandardCharsets.UTF_8));
      case "completed" -> log.completed();
      default -> {}
    }
  }

  /** A letter of the router, or Kafka Streams' copy of a record that stopped its processing. */
  private void letter(ConsumerRecord<String, byte[]> record) {
    Optional<String> code = ReplyLine.header(record, "error-code");
    code.ifPresent(
        error -> ReplyLine.header(record, "request-id").ifPresent(id -> of(id).letter(error)));
    place(record, code.isPresent() ? "source-" : "__streams.errors.")
        .ifPresent(
            place ->
                letters
                    .computeIfAbsent(place, none -> new ArrayList<>())
                    .add(code.orElse("exception")));
  }

  private static Optional<Place> place(ConsumerRecord<String, byte[]> record, String prefix) {
    Optional<String> topic = ReplyLine.header(record, prefix + "topic");
    Optional<String> partition = ReplyLine.header(record, prefix + "partition");
    Optional<String> offset = ReplyLine.header(record, prefix + "offset");
    return topic.isPresent() && partition.isPresent() && offset.isPresent()
        ? Optional.of(
            new Place(topic.get(), Integer.parseInt(partition.get()), Long.parseLong(offset.get())))
        : Optional.empty();
  }

  private RequestLog of(String id) {
    return requests.computeIfAbsent(id, unknown -> new RequestLog());
  }

  /** Looks at what is known of a request. */
  public synchronized <T> T see(String id, Function<RequestLog, T> look) {
    return look.apply(of(id));
  }

  public synchronized boolean isAppended(String id) {
    return of(id).seenMillis().isPresent();
  }

  /** Whether it has an end at its reply topic, or failing that at the usual one. */
  public synchronized boolean isOver(PlannedRequest request) {
    RequestLog log = of(request.id());
    return log.at(request.replyTopic()).reading().isOver()
        || (request.replyTo().isPresent()
            && (log.at(PlannedRequest.REPLIES).reading().isOver()
                || log.at(request.replyTopic()).lines().stream().anyMatch(ReplyLine::isEnd)));
  }

  /** The error codes of the dead letters of what stands at a place. */
  public synchronized List<String> lettersOf(Place place) {
    return List.copyOf(letters.getOrDefault(place, List.of()));
  }

  /** Records of reply topics that are no replies. */
  public synchronized List<String> unreadable() {
    return List.copyOf(unreadable);
  }

  private static JsonNode json(ConsumerRecord<String, byte[]> record) {
    try {
      return JSON.readTree(record.value());
    } catch (IOException | IllegalArgumentException e) {
      return JSON.missingNode();
    }
  }

  private static String shortened(ConsumerRecord<String, byte[]> record) {
    String all = record.toString();
    return all.length() > 400 ? all.substring(0, 400) + "..." : all;
  }
}
