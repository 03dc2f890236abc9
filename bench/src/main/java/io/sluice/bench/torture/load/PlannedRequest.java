package io.sluice.bench.torture.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A request as it was planned.
 *
 * @param at when it is sent, counted from the start of the load or of the fault that sends it
 * @param bySdk whether the SDK sends and reads it; otherwise a plain Kafka producer sends it
 * @param timeout after which its deadline passes
 * @param cancelAfter how long after it was sent it is cancelled, if it is
 * @param repeats later uses of its id
 * @param replyTo its reply topic, if it is not the usual one
 */
public record PlannedRequest(
    String id,
    RequestKind kind,
    Duration at,
    ObjectNode body,
    boolean bySdk,
    String tenant,
    Duration timeout,
    Optional<Duration> cancelAfter,
    List<Repeat> repeats,
    Optional<String> replyTo) {

  public static final String REPLIES = "sluice.replies";
  public static final String LANE = "sluice.requests.2k";
  public static final String LONGER_LANE = "sluice.requests.8k";
  public static final String BULK = "sluice.bulk";

  private static final int LARGE_BYTES = 512 * 1024;

  public PlannedRequest {
    repeats = List.copyOf(repeats);
  }

  /** A request of a plain producer, answered on the usual topic, neither cancelled nor repeated. */
  public static PlannedRequest of(
      String id, RequestKind kind, ObjectNode body, String tenant, Duration timeout) {
    return new PlannedRequest(
        id,
        kind,
        Duration.ZERO,
        body,
        false,
        tenant,
        timeout,
        Optional.empty(),
        List.of(),
        Optional.empty());
  }

  public PlannedRequest at(Duration moment) {
    return new PlannedRequest(
        id, kind, moment, body, bySdk, tenant, timeout, cancelAfter, repeats, replyTo);
  }

  PlannedRequest withSdk(boolean isSdk) {
    return new PlannedRequest(
        id, kind, at, body, isSdk, tenant, timeout, cancelAfter, repeats, replyTo);
  }

  public PlannedRequest cancelledAfter(Duration after) {
    return new PlannedRequest(
        id, kind, at, body, bySdk, tenant, timeout, Optional.of(after), repeats, replyTo);
  }

  public PlannedRequest repeated(List<Repeat> times) {
    return new PlannedRequest(
        id, kind, at, body, bySdk, tenant, timeout, cancelAfter, times, replyTo);
  }

  public PlannedRequest answeredAt(String topic) {
    return new PlannedRequest(
        id, kind, at, body, bySdk, tenant, timeout, cancelAfter, repeats, Optional.of(topic));
  }

  public String endpoint() {
    return body.has("prompt") ? "/v1/completions" : "/v1/chat/completions";
  }

  public boolean isStreamed() {
    return body.path("stream").asBoolean();
  }

  public String topic() {
    return kind.isBulk() ? BULK : LANE;
  }

  /** The topic of its answer. */
  public String replyTopic() {
    return replyTo.orElse(REPLIES);
  }

  /** The bytes that are sent. Large requests are padded only here, to save memory. */
  byte[] bytes() {
    String json =
        switch (kind) {
          case INVALID_JSON -> body.toString().substring(0, body.toString().length() / 2);
          case LARGE -> body.deepCopy().put("user", "a".repeat(LARGE_BYTES)).toString();
          default -> body.toString();
        };
    return json.getBytes(StandardCharsets.UTF_8);
  }
}
