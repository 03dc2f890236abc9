package io.sluice.producer.client;

import io.sluice.common.kafka.RecordSend;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestHeaders;
import io.sluice.common.protocol.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends requests to their lane or to the bulk topic, and control messages. Thread-safe. */
final class RequestSender {
  private static final Logger log = LoggerFactory.getLogger(RequestSender.class);

  /** How long a bulk request may wait before the router sees it. Its key is its id. */
  private static final Duration KEPT = Duration.ofHours(24);

  /**
   * Other requests are sent directly to their lane, where a control message overtakes them by no
   * more than the router's lag.
   */
  private static final Duration KEPT_ELSEWHERE = Duration.ofMinutes(10);

  private final Producer<String, byte[]> producer;
  private final LaneChoice lanes;
  private final TopicPartition home;
  private final int partitionCount;

  /**
   * @param home where replies are read
   * @param partitionCount the number of partitions of all the pool's topics
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

  /** Returns the partition for a request and everything about it. */
  int partitionOf(InferenceRequest request, String requestId) {
    return Partitions.of(keyOf(request, requestId), partitionCount);
  }

  /**
   * Sends a request whose answer this client reads; blocks for a bounded time while the producer's
   * buffer is full.
   *
   * @param accepted is called when Kafka has accepted the request
   * @param failed is called if it has not
   */
  void send(
      InferenceRequest request, String requestId, Runnable accepted, Consumer<Exception> failed) {
    boolean isFound = Partitions.of(requestId, partitionCount) == home.partition();
    RecordSend.send(
        producer,
        record(
            request, requestId, isFound ? OptionalInt.empty() : OptionalInt.of(home.partition())),
        (place, error) -> {
          if (error == null) {
            accepted.run();
          } else {
            failed.accept(error);
          }
        });
  }

  /** Sends a request like {@link #send}, whose answer goes where its id alone leads. */
  CompletableFuture<RecordMetadata> post(InferenceRequest request, String requestId) {
    return RecordSend.send(producer, record(request, requestId, OptionalInt.empty()));
  }

  private ProducerRecord<String, byte[]> record(
      InferenceRequest request, String requestId, OptionalInt replyPartition) {
    var record =
        new ProducerRecord<>(
            topicOf(request),
            partitionOf(request, requestId),
            keyOf(request, requestId),
            request.body());
    headersOf(request, requestId, replyPartition).writeTo(record.headers());
    request
        .traceparent()
        .ifPresent(trace -> HeaderText.put(record.headers(), HeaderNames.TRACEPARENT, trace));
    request
        .tracestate()
        .ifPresent(state -> HeaderText.put(record.headers(), HeaderNames.TRACESTATE, state));
    return record;
  }

  /**
   * Sends a control message: to the request's partition if it is known, or else to all partitions.
   * Blocks at most a few seconds for Kafka: the first copy that cannot be sent is the last one that
   * is tried.
   *
   * @return completes when all copies are in the log, exceptionally if one is not
   */
  CompletableFuture<Void> send(Control control, OptionalInt requestPartition, Instant now) {
    int byId = Partitions.of(control.requestId(), partitionCount);
    IntStream targets =
        requestPartition.isPresent()
            ? IntStream.of(requestPartition.getAsInt())
            : IntStream.range(0, partitionCount);
    List<CompletableFuture<RecordMetadata>> copies = new ArrayList<>();
    for (int partition : targets.toArray()) {
      boolean isLikely = requestPartition.isPresent() || partition == byId;
      CompletableFuture<RecordMetadata> copy =
          send(control, partition, now.plus(isLikely ? KEPT : KEPT_ELSEWHERE));
      copies.add(copy);
      if (copy.isCompletedExceptionally()) {
        break;
      }
    }
    return CompletableFuture.allOf(copies.toArray(CompletableFuture<?>[]::new));
  }

  /**
   * @param keepUntil how long the router remembers the message if the request has not arrived yet
   */
  private CompletableFuture<RecordMetadata> send(
      Control control, int partition, Instant keepUntil) {
    var record =
        new ProducerRecord<>(Topics.CONTROL, partition, control.requestId(), control.toJson());
    HeaderText.put(record.headers(), HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.put(record.headers(), HeaderNames.DEADLINE, keepUntil.toEpochMilli());
    return RecordSend.send(producer, record)
        .whenComplete(
            (place, error) -> {
              if (error != null) {
                log.warn(
                    "event=control_not_sent request={} reason=\"{}\"",
                    control.requestId(),
                    error.toString());
              }
            });
  }

  /** Flushes pending records and closes the producer. */
  void close(Duration timeout) {
    producer.close(timeout);
  }

  private String topicOf(InferenceRequest request) {
    return request.priority() == Priority.BULK ? Topics.BULK : Topics.requests(lanes.of(request));
  }

  private static String keyOf(InferenceRequest request, String requestId) {
    return request.priority() == Priority.BULK
        ? requestId
        : request.conversationId().orElse(requestId);
  }

  /** The common reply topic, and the partition by the id, need no header. */
  private RequestHeaders headersOf(
      InferenceRequest request, String requestId, OptionalInt replyPartition) {
    boolean isNamed = replyPartition.isPresent() || !home.topic().equals(Topics.REPLIES);
    return new RequestHeaders(
        requestId,
        isNamed ? Optional.of(home.topic()) : Optional.empty(),
        replyPartition,
        request.endpoint(),
        request.timeout().map(t -> OptionalLong.of(t.toMillis())).orElse(OptionalLong.empty()),
        request
            .deadline()
            .map(Instant::toEpochMilli)
            .map(OptionalLong::of)
            .orElse(OptionalLong.empty()),
        request.sloTtft().map(slo -> OptionalLong.of(slo.toMillis())).orElse(OptionalLong.empty()),
        request.priority(),
        request.tenant(),
        request.tier(),
        request.fallbackModel());
  }
}
