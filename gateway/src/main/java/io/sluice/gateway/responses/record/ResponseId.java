package io.sluice.gateway.responses.record;

import io.sluice.common.protocol.RequestId;
import java.util.Optional;

/** The ids of responses: {@code resp_} and the id of the request to the pool, a UUIDv7. */
public final class ResponseId {
  private static final String PREFIX = "resp_";

  private ResponseId() {}

  /** Returns the id of a request's response. */
  public static String of(String requestId) {
    return PREFIX + requestId;
  }

  /** Returns the request's id; empty if the text is not the id of a response. */
  public static Optional<String> requestId(String responseId) {
    return Optional.of(responseId)
        .filter(id -> id.startsWith(PREFIX))
        .map(id -> id.substring(PREFIX.length()))
        .filter(id -> RequestId.timeOf(id).isPresent());
  }
}
