package io.sluice.bench.replay.log;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.CommandFailedException;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ProgressReport;
import io.sluice.common.protocol.RoutingDecision;
import io.sluice.common.protocol.Topics;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.router.catalog.PromptFactors;
import io.sluice.router.parse.ParsedRequest;
import io.sluice.router.parse.RequestReader;
import io.sluice.router.request.RequestMetadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Joins the records of several topics by the ids of requests. Requests come first, those of the
 * bulk topic before those of the lanes, into which the router copies them. Keeps no text of
 * requests. Not thread-safe.
 */
final class Stories {
  private final RequestReader reader;
  private final int most;
  private final Map<String, Story> byId = new HashMap<>();
  private final Set<String> invalid = new HashSet<>();
  private int repeats;

  /**
   * Knows no request yet.
   *
   * @param reader the router's own
   * @param most requests to keep
   */
  Stories(RequestReader reader, int most) {
    this.reader = reader;
    this.most = most;
  }

  /**
   * Takes a record of a lane or of the bulk topic.
   *
   * @throws CommandFailedException if there are too many requests
   */
  void request(ConsumerRecord<String, byte[]> record) {
    boolean isBulk = record.topic().equals(Topics.BULK);
    var source = new RequestMetadata.Source(record.topic(), record.partition(), record.offset());
    Headers headers = isBulk ? bulk(record.headers()) : record.headers();
    ParsedRequest parsed = reader.read(source, headers, record.value(), record.timestamp());
    RequestMetadata metadata = parsed.metadata();
    Story known = byId.get(metadata.requestId());
    if (known != null || invalid.contains(metadata.requestId())) {
      boolean isCopy = known == null || known.metadata().source().topic().equals(Topics.BULK);
      repeats += isCopy ? 0 : 1;
      return;
    }
    switch (parsed) {
      case ParsedRequest.Refused _ -> invalid.add(metadata.requestId());
      case ParsedRequest.Accepted accepted ->
          byId.put(metadata.requestId(), new Story(metadata, accepted.prefix(), isBulk));
    }
    if (byId.size() > most) {
      throw new CommandFailedException(
          "there are more than %,d requests in this time: choose a shorter one with --from, --to and --warm-up, or allow more with --most"
              .formatted(most));
    }
  }

  private static Headers bulk(Headers own) {
    Headers headers = new RecordHeaders(own.toArray());
    return HeaderText.get(headers, HeaderNames.PRIORITY).isPresent()
        ? headers
        : HeaderText.put(headers, HeaderNames.PRIORITY, Priority.BULK.headerValue());
  }

  /** Takes a record of the outcomes topic. */
  void outcome(ConsumerRecord<String, byte[]> record) {
    for (Outcome outcome : ProgressReport.parse(record.value())) {
      find(outcome.lease().requestId())
          .ifPresent(story -> story.reported(outcome, record.timestamp()));
    }
  }

  /** Takes a record of the decisions topic. */
  void decision(ConsumerRecord<String, byte[]> record) {
    RoutingDecision.parse(record.value())
        .ifPresent(
            decision -> find(decision.requestId()).ifPresent(story -> story.decided(decision)));
  }

  /** Takes a record of a reply topic. Only ends count, and only of requests without an outcome. */
  void reply(ConsumerRecord<String, byte[]> record) {
    ReplyHeaders.parse(record.headers())
        .ifPresent(
            headers ->
                find(headers.requestId())
                    .filter(story -> !story.hasEnd())
                    .ifPresent(story -> end(story, headers, record)));
  }

  private static void end(
      Story story, ReplyHeaders headers, ConsumerRecord<String, byte[]> record) {
    // An error without an attempt that names no lease refuses another request with the same id.
    if (headers.kind() == ReplyKind.ERROR) {
      error(record.value())
          .filter(error -> error != ErrorKind.REQUEST_ID_IN_USE)
          .ifPresent(error -> story.refused(error, record.timestamp()));
    } else if (headers.kind() == ReplyKind.FINAL) {
      Usage usage = Usage.in(json(record.value())).orElse(Usage.NONE);
      story.answered(usage.promptTokens(), usage.completionTokens(), record.timestamp());
    }
  }

  private static Optional<ErrorKind> error(byte[] value) {
    return ErrorKind.parse(json(value).path("error").path("code").asText());
  }

  private static JsonNode json(byte[] value) {
    try {
      return Json.tree(value);
    } catch (IOException e) {
      return Json.mapper().missingNode();
    }
  }

  private Optional<Story> find(String requestId) {
    return Optional.ofNullable(byId.get(requestId));
  }

  /**
   * Returns the latest deadline of any request, in epoch milliseconds; empty if there is no
   * request.
   */
  OptionalLong latestDeadlineMillis() {
    return byId.values().stream().mapToLong(story -> story.metadata().deadlineEpochMillis()).max();
  }

  /** Returns where the ends may be that no outcome tells. */
  Set<TopicPartition> openReplies() {
    return open()
        .map(story -> story.metadata().replyTo())
        .map(address -> new TopicPartition(address.topic(), address.partition()))
        .collect(Collectors.toSet());
  }

  /** Returns when the first request arrived whose end no outcome tells, in epoch milliseconds. */
  OptionalLong firstOpenMillis() {
    return open().mapToLong(story -> story.metadata().appendTimeMillis()).min();
  }

  private Stream<Story> open() {
    return byId.values().stream().filter(story -> !story.hasEnd());
  }

  /**
   * Returns all requests, with the prompt tokens that a router expects that knows by how much its
   * estimates are off.
   *
   * @param fromMillis where the time begins that is compared, in epoch milliseconds
   */
  Recording recording(long fromMillis) {
    List<Story> inOrder = new ArrayList<>(byId.values());
    inOrder.sort(
        Comparator.comparingLong((Story story) -> story.metadata().appendTimeMillis())
            .thenComparing(story -> story.metadata().requestId()));
    var factors = new PromptFactors();
    for (Story story : inOrder) {
      story
          .promptTokens()
          .ifPresent(
              tokens ->
                  factors.answered(
                      story.metadata().model(), story.metadata().estimatedTokens(), tokens));
    }
    return new Recording(
        inOrder.stream()
            .map(story -> story.toRequest(factors.of(story.metadata().model())))
            .toList(),
        fromMillis,
        invalid.size(),
        repeats);
  }
}
