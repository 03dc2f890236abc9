package io.sluice.bench.torture.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
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
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
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

  /**
   * Returns a request of a plain producer, answered on the usual topic, neither cancelled nor
   * repeated.
   */
  public static PlannedRequest of(
      String id, RequestKind kind, ObjectNode body, String tenant, Duration timeout) {
    return PlannedRequestBuilder.builder()
        .id(id)
        .kind(kind)
        .at(Duration.ZERO)
        .body(body)
        .bySdk(false)
        .tenant(tenant)
        .timeout(timeout)
        .repeats(List.of())
        .build();
  }

  public PlannedRequest at(Duration moment) {
    return PlannedRequestBuilder.builder(this).at(moment).build();
  }

  PlannedRequest withSdk(boolean isSdk) {
    return PlannedRequestBuilder.builder(this).bySdk(isSdk).build();
  }

  public PlannedRequest cancelledAfter(Duration after) {
    return PlannedRequestBuilder.builder(this).cancelAfter(Optional.of(after)).build();
  }

  public PlannedRequest repeated(List<Repeat> times) {
    return PlannedRequestBuilder.builder(this).repeats(times).build();
  }

  public PlannedRequest answeredAt(String topic) {
    return PlannedRequestBuilder.builder(this).replyTo(Optional.of(topic)).build();
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

  /** Returns the topic of its answer. */
  public String replyTopic() {
    return replyTo.orElse(REPLIES);
  }

  /** Returns the bytes that are sent. Large requests are padded only here, to save memory. */
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
