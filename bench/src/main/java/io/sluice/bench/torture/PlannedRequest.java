package io.sluice.bench.torture;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * A request as the seed has it.
 *
 * @param at after the load's begin
 * @param bySdk whether a client of the SDK sends and reads it, else a bare Kafka producer
 * @param timeout how long its answer is wanted
 * @param cancelAfter when it is cancelled, after it was sent
 * @param repeatAfter when it is sent once more, after it was sent
 */
record PlannedRequest(
    String id,
    RequestKind kind,
    Duration at,
    ObjectNode body,
    boolean bySdk,
    String tenant,
    Duration timeout,
    Optional<Duration> cancelAfter,
    Optional<Duration> repeatAfter) {

  String endpoint() {
    return body.has("prompt") ? "/v1/completions" : "/v1/chat/completions";
  }

  boolean isStreamed() {
    return body.path("stream").asBoolean();
  }

  String topic() {
    return kind == RequestKind.BULK ? "sluice.bulk" : "sluice.requests.2k";
  }

  byte[] bytes() {
    String json = body.toString();
    return (kind == RequestKind.BROKEN ? json.substring(0, json.length() / 2) : json)
        .getBytes(StandardCharsets.UTF_8);
  }
}
