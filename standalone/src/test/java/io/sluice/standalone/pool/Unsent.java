package io.sluice.standalone.pool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.KafkaResponseLog;
import io.sluice.gateway.responses.record.Places;
import io.sluice.producer.ClientConfig;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Responses whose record is in the log, but whose request no gateway has sent. */
final class Unsent {
  private Unsent() {}

  /** Makes a background response that was asked for at a time, with a deadline so much later. */
  static CreatedResponse response(Instant at, long deadlineSeconds) {
    ObjectNode request =
        Json.mapper()
            .createObjectNode()
            .put("model", PoolPlan.MODEL)
            .put("input", "Say hello.")
            .put("background", true);
    Instant made = at.truncatedTo(ChronoUnit.MILLIS);
    return new CreatedResponse(
        RequestId.derived(Instant.now(), RequestId.next()),
        "default",
        made,
        made.plusSeconds(deadlineSeconds),
        Map.of(),
        request,
        Json.mapper().createArrayNode());
  }

  /** Stores the record alone. */
  static void store(CreatedResponse created, LocalPool pool) {
    try (KafkaResponseLog log =
        KafkaResponseLog.open(ClientConfig.at(pool.kafka()), 1, new Places(new EmptyStore()))) {
      log.append(created);
    }
  }

  /** What a gateway knows that nobody has told anything. */
  private static final class EmptyStore implements Places.Store {
    @Override
    public CompletionStage<Optional<String>> find(String requestId) {
      return CompletableFuture.completedFuture(Optional.empty());
    }

    @Override
    public CompletionStage<Void> put(String requestId, String text) {
      return CompletableFuture.completedFuture(null);
    }
  }

  /** Returns how many records of responses the log holds. */
  static long stored(LocalPool pool) {
    try (var consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", (Object) pool.kafka()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(Topics.RESPONSES).stream()
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      return consumer.endOffsets(partitions).values().stream().mapToLong(end -> end).sum();
    }
  }
}
