package io.sluice.gateway.batch.record;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.sluice.common.protocol.RequestId;
import io.sluice.gateway.access.KeyLimits;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A batch as it was asked for. Times are in milliseconds since 1970.
 *
 * @param tenant for whom the batch exists
 * @param createdAt when it was asked for, by the gateway's clock
 * @param expiresAt until when its requests may be answered
 * @param endpoint the path that all lines name
 * @param window the {@code completion_window}
 * @param metadata the caller's own
 * @param headers those of the caller's headers that the pool follows, by name in lower case
 * @param limits what the caller's API key may do
 * @param outputKeptSeconds how long the output is kept after the creation of its file
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
public record CreatedBatch(
    String id,
    String tenant,
    long createdAt,
    long expiresAt,
    String inputFileId,
    String endpoint,
    String window,
    Map<String, String> metadata,
    Map<String, String> headers,
    KeyLimits limits,
    OptionalLong outputKeptSeconds)
    implements BatchRecord {

  /** Completes what is absent in a stored record. */
  @JsonCreator
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public CreatedBatch {
    Objects.requireNonNull(id, "the batch has no id");
    Objects.requireNonNull(tenant, "the batch has no tenant");
    Objects.requireNonNull(inputFileId, "the batch has no input");
    Objects.requireNonNull(endpoint, "the batch has no endpoint");
    Objects.requireNonNull(window, "the batch has no window");
    metadata = copy(metadata);
    headers = copy(headers);
    limits = limits == null ? KeyLimits.NONE : limits;
    outputKeptSeconds = outputKeptSeconds == null ? OptionalLong.empty() : outputKeptSeconds;
  }

  /**
   * Returns the id of a line's request. The pool does not run an id twice.
   *
   * @param line its number in the input
   * @param tries how often it was sent before
   */
  public String requestId(long line, int tries) {
    String name = id + "/" + line + (tries == 0 ? "" : "/" + tries);
    return RequestId.derived(Instant.ofEpochMilli(createdAt), name);
  }

  private static Map<String, String> copy(@Nullable Map<String, String> entries) {
    return entries == null ? Map.of() : Map.copyOf(entries);
  }
}
