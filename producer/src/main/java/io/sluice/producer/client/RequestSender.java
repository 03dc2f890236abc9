package io.sluice.producer.client;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestHeaders;
import io.sluice.common.protocol.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes requests to their lane, or to the bulk topic, and control messages. Thread-safe. */
final class RequestSender {
  private static final Logger log = LoggerFactory.getLogger(RequestSender.class);

  /** Bulk may wait so long for its turn before the router sees it; its key is its id. */
  private static final Duration KEPT = Duration.ofHours(24);

  /**
   * Other requests go straight to their lane: nothing overtakes them by more than a router lags.
   */
  private static final Duration KEPT_ELSEWHERE = Duration.ofMinutes(10);

  private final Producer<String, byte[]> producer;
  private final LaneChoice lanes;
  private final TopicPartition home;
  private final int partitionCount;

  /**
   * @param home where replies are read
   * @param partitionCount of all the pool's topics
   */
  RequestSender(
      Producer<String, byte[]> producer,
      LaneChoice lanes,
      TopicPartition home,
      int partitionCount) {
    this.producer = producer;
    this.lanes = lanes;
    this.home = home;
    this.partitionCount = partitionCount;
  }

  /** The partition that a request and everything about it goes to. */
  int partitionOf(InferenceRequest request, String requestId) {
    return Partitions.of(keyOf(request, requestId), partitionCount);
  }

  /** Sends a request; waits a bounded time for room, at most. */
  void send(InferenceRequest request, String requestId, Consumer<Exception> onFailure) {
    var record =
        new ProducerRecord<>(
            topicOf(request),
            partitionOf(request, requestId),
            keyOf(request, requestId),
            request.body());
    headersOf(request, requestId).writeTo(record.headers());
    request
        .traceparent()
        .ifPresent(trace -> HeaderText.put(record.headers(), HeaderNames.TRACEPARENT, trace));
    send(record, onFailure);
  }

  /**
   * Tells the pool something about a request: on its partition where that is known, else on every
   * one.
   *
   * @return completes when all copies are in the log, exceptionally if one is not
   */
  CompletableFuture<Void> send(Control control, OptionalInt requestPartition, Instant now) {
    int byId = Partitions.of(control.requestId(), partitionCount);
    IntStream targets =
        requestPartition.isPresent()
            ? IntStream.of(requestPartition.getAsInt())
            : IntStream.range(0, partitionCount);
    return CompletableFuture.allOf(
        targets
            .mapToObj(
                partition -> {
                  boolean isLikely = requestPartition.isPresent() || partition == byId;
                  return send(control, partition, now.plus(isLikely ? KEPT : KEPT_ELSEWHERE));
                })
            .toArray(CompletableFuture<?>[]::new));
  }

  /**
   * @param keepUntil how long the router is to remember it if the request has not come yet
   */
  private CompletableFuture<Void> send(Control control, int partition, Instant keepUntil) {
    var record =
        new ProducerRecord<>(Topics.CONTROL, partition, control.requestId(), control.toJson());
    HeaderText.put(record.headers(), HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.put(record.headers(), HeaderNames.DEADLINE, keepUntil.toEpochMilli());
    CompletableFuture<Void> written = new CompletableFuture<>();
    try {
      var _ =
          producer.send(
              record,
              (metadata, error) -> {
                if (error == null) {
                  written.complete(null);
                } else {
                  controlNotSent(control, error, written);
                }
              });
    } catch (KafkaException | IllegalStateException e) {
      controlNotSent(control, e, written);
    }
    return written;
  }

  private static void controlNotSent(
      Control control, Exception error, CompletableFuture<Void> written) {
    log.warn(
        "event=control_not_sent request={} reason=\"{}\"", control.requestId(), error.toString());
    written.completeExceptionally(error);
  }

  /** Has what is written already arrive, and ends. */
  void close(Duration timeout) {
    producer.close(timeout);
  }

  private void send(ProducerRecord<String, byte[]> record, Consumer<Exception> onFailure) {
    try {
      var _ =
          producer.send(
              record,
              (metadata, error) -> {
                if (error != null) {
                  onFailure.accept(error);
                }
              });
    } catch (KafkaException | IllegalStateException e) {
      onFailure.accept(e);
    }
  }

  private String topicOf(InferenceRequest request) {
    return request.priority() == Priority.BULK ? Topics.BULK : Topics.requests(lanes.of(request));
  }

  private static String keyOf(InferenceRequest request, String requestId) {
    return request.priority() == Priority.BULK
        ? requestId
        : request.conversationId().orElse(requestId);
  }

  private RequestHeaders headersOf(InferenceRequest request, String requestId) {
    boolean isHome = Partitions.of(requestId, partitionCount) == home.partition();
    return new RequestHeaders(
        requestId,
        isHome ? Optional.empty() : Optional.of(home.topic()),
        isHome ? OptionalInt.empty() : OptionalInt.of(home.partition()),
        request.endpoint(),
        request.timeout().map(t -> OptionalLong.of(t.toMillis())).orElse(OptionalLong.empty()),
        request
            .deadline()
            .map(Instant::toEpochMilli)
            .map(OptionalLong::of)
            .orElse(OptionalLong.empty()),
        request.priority(),
        request.tenant(),
        request.tier(),
        request.fallbackModel());
  }
}
