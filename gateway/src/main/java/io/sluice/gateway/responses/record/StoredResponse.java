package io.sluice.gateway.responses.record;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The record of a response as the log holds it. It is parsed where it is used, because a tree may
 * need thirty times its bytes. Immutable.
 */
public final class StoredResponse {
  private final String requestId;
  private final String tenant;
  private final byte[] json;

  private StoredResponse(String requestId, String tenant, byte[] json) {
    this.requestId = requestId;
    this.tenant = tenant;
    this.json = json;
  }

  /** Takes a record of the log; empty if it is not that of a response's creation. */
  static Optional<StoredResponse> of(@Nullable String key, byte @Nullable [] value) {
    if (key == null || value == null) {
      return Optional.empty();
    }
    return RecordFormat.tenant(value).map(tenant -> new StoredResponse(key, tenant, value));
  }

  /** Makes the record of a response that was not stored before. */
  public static StoredResponse of(CreatedResponse created) {
    return new StoredResponse(created.requestId(), created.tenant(), RecordFormat.toJson(created));
  }

  public String requestId() {
    return requestId;
  }

  /** Returns for whom the response exists. */
  public String tenant() {
    return tenant;
  }

  /** Returns the record as JSON, which must not be changed. */
  public byte[] json() {
    return json;
  }

  /** Parses what is needed to {@linkplain CreatedResponse#shown show} the response. */
  public CreatedResponse shown() {
    return RecordFormat.part(requestId, json, CreatedResponse.SHOWN);
  }

  /** Parses what is needed to {@linkplain CreatedResponse#withoutContent follow} the response. */
  public CreatedResponse withoutContent() {
    return RecordFormat.part(requestId, json, CreatedResponse.FLAGS);
  }

  /** Parses all of it. */
  public CreatedResponse whole() {
    return RecordFormat.whole(requestId, json);
  }
}
