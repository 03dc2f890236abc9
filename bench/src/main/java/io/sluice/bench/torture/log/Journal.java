package io.sluice.bench.torture.log;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RecordPosition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Everything that was read from the pool's topics, by request. Thread-safe. */
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
  private final Map<RecordPosition, List<String>> deadLetters = new HashMap<>();
  private final BulkMentions bulk = new BulkMentions();
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
      case "sluice.dead-letters" -> deadLetter(record);
      case PlannedRequest.BULK -> {
        Optional<String> requestId = ReplyRecord.header(record, "request-id");
        requestId.ifPresent(id -> of(id).appended(seenMillis));
        requestId.ifPresent(id -> bulk.add(record, id));
      }
      case PlannedRequest.LANE, PlannedRequest.LONGER_LANE ->
          ReplyRecord.header(record, "request-id").ifPresent(id -> of(id).appended(seenMillis));
      default ->
          ReplyRecord.of(record, seenMillis)
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

  /**
   * A dead letter of the router, or the copy that Kafka Streams made of a record that it could not
   * process.
   */
  private void deadLetter(ConsumerRecord<String, byte[]> record) {
    Optional<String> code = ReplyRecord.header(record, "error-code");
    code.ifPresent(
        error ->
            ReplyRecord.header(record, "request-id").ifPresent(id -> of(id).deadLetter(error)));
    place(record, code.isPresent() ? "source-" : "__streams.errors.")
        .ifPresent(
            place ->
                deadLetters
                    .computeIfAbsent(place, none -> new ArrayList<>())
                    .add(code.orElse("exception")));
  }

  private static Optional<RecordPosition> place(
      ConsumerRecord<String, byte[]> record, String prefix) {
    Optional<String> topic = ReplyRecord.header(record, prefix + "topic");
    Optional<String> partition = ReplyRecord.header(record, prefix + "partition");
    Optional<String> offset = ReplyRecord.header(record, prefix + "offset");
    return topic.isPresent() && partition.isPresent() && offset.isPresent()
        ? Optional.of(
            new RecordPosition(
                topic.get(), Integer.parseInt(partition.get()), Long.parseLong(offset.get())))
        : Optional.empty();
  }

  private RequestLog of(String id) {
    return requests.computeIfAbsent(id, unknown -> new RequestLog());
  }

  /** Applies a function to what is known of a request, while no record is added. */
  public synchronized <T> T see(String id, Function<RequestLog, T> look) {
    return look.apply(of(id));
  }

  public synchronized boolean isAppended(String id) {
    return of(id).seenMillis().isPresent();
  }

  /** Returns the ids of the requests on the bulk topic whose prompt has a name. */
  public synchronized Set<String> bulkAbout(String name) {
    return bulk.of(name);
  }

  /** Returns whether a request has an end on its reply topic, or otherwise on the usual one. */
  public synchronized boolean isOver(PlannedRequest request) {
    RequestLog log = of(request.id());
    return log.at(request.replyTopic()).reading().isOver()
        || (request.replyTo().isPresent()
            && (log.at(PlannedRequest.REPLIES).reading().isOver()
                || log.at(request.replyTopic()).lines().stream().anyMatch(ReplyRecord::isEnd)));
  }

  /** Returns how many requests have tokens and no end on the usual topic. */
  public synchronized int running() {
    return (int)
        requests.values().stream()
            .map(log -> log.at(PlannedRequest.REPLIES).reading())
            .filter(reading -> reading.tokens() > 0 && !reading.isOver())
            .count();
  }

  /** Returns the error codes of the dead letters of the record at a position. */
  public synchronized List<String> deadLettersOf(RecordPosition place) {
    return List.copyOf(deadLetters.getOrDefault(place, List.of()));
  }

  /** Returns the records on reply topics that are not valid replies. */
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
