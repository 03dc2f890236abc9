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
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes requests to their lane, or to the bulk topic, and control messages. Thread-safe. */
final class RequestSender {
  private static final Logger log = LoggerFactory.getLogger(RequestSender.class);

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

  /** Asks the pool to end a request; best effort, for the pool's deadline ends it in any case. */
  void sendCancel(String requestId, int requestPartition) {
    var record =
        new ProducerRecord<>(
            Topics.CONTROL, requestPartition, requestId, new Control.Cancel(requestId).toJson());
    HeaderText.put(record.headers(), HeaderNames.VERSION, HeaderNames.VERSION_1);
    send(
        record,
        error ->
            log.warn(
                "event=cancel_not_sent request={} reason=\"{}\"", requestId, error.toString()));
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
