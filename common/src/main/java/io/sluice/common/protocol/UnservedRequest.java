package io.sluice.common.protocol;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * That a request waits for a worker of its model to start: one record of {@code sluice.decisions},
 * in JSON. It is written again when the deadline changes, or another router takes over.
 *
 * @param model the model whose workers are missing
 * @param atEpochMillis when this was written, by the pool's time
 * @param router the router of the request
 * @param sinceEpochMillis since when the router has known no worker of the model for the request
 * @param untilEpochMillis the request's deadline, until which it waits
 * @param known whether the model is configured, or was served within the last hour; otherwise the
 *     request is refused as soon as other workers are there and none of them serves the model
 */
public record UnservedRequest(
    String requestId,
    @JsonProperty("held") String model,
    long atEpochMillis,
    String router,
    long sinceEpochMillis,
    long untilEpochMillis,
    boolean known) {

  /** Returns the same with an earlier start. */
  public UnservedRequest since(long epochMillis) {
    return new UnservedRequest(
        requestId, model, atEpochMillis, router, epochMillis, untilEpochMillis, known);
  }

  /** Returns the record as JSON. */
  public byte[] toJson() {
    return Json.bytes(this);
  }

  /** Parses a record; empty if it is another one, such as a decision. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public static Optional<UnservedRequest> parse(byte @Nullable [] json) {
    try {
      UnservedRequest unserved = Json.mapper().treeToValue(Json.tree(json), UnservedRequest.class);
      boolean isWhole =
          unserved != null && unserved.requestId() != null && unserved.model() != null;
      return isWhole ? Optional.of(unserved) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
