package io.sluice.gateway.batch.record;

import io.sluice.common.protocol.RequestId;
import io.sluice.gateway.files.FileStore;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A batch as its records tell. Immutable.
 *
 * @param cancellingAt when it was first asked to end, in milliseconds since 1970
 */
public record Batch(CreatedBatch created, BatchProgress progress, OptionalLong cancellingAt) {
  /** What a batch needs without texts of its caller's. */
  private static final int BATCH_BYTES = 2_048;

  private static final int OBJECT_BYTES = 64;

  /** Returns a batch that has not begun. */
  public static Batch of(CreatedBatch created) {
    return new Batch(created, BatchProgress.none(created.id()), OptionalLong.empty());
  }

  /** Returns this batch after one more record of it. */
  public Batch with(BatchRecord record) {
    return switch (record) {
      case CreatedBatch _ -> this;
      case BatchProgress next ->
          next.isAtLeast(progress) ? new Batch(created, next, cancellingAt) : this;
      case BatchCancellation cancellation ->
          cancellingAt.isPresent()
              ? this
              : new Batch(created, progress, OptionalLong.of(cancellation.at()));
    };
  }

  /** Returns whether nothing follows. */
  public boolean isEnded() {
    return progress.phase().isEnd();
  }

  /** Returns OpenAI's name of its status. */
  public String status() {
    return cancellingAt.isPresent() && !isEnded() ? "cancelling" : progress.phase().label();
  }

  /** Returns the id of the file with its answers, which exists if there are answers at its end. */
  public String outputFileId() {
    return fileId("output");
  }

  /** Returns the id of the file with its errors, which exists if there are errors at its end. */
  public String errorFileId() {
    return fileId("errors");
  }

  /** Returns about how many bytes of memory this needs. */
  public long memoryBytes() {
    return BATCH_BYTES
        + bytes(created.metadata())
        + bytes(created.headers())
        + progress.memoryBytes();
  }

  private static long bytes(Map<String, String> texts) {
    return texts.entrySet().stream()
        .mapToLong(text -> text.getKey().length() + text.getValue().length() + 2L * OBJECT_BYTES)
        .sum();
  }

  private String fileId(String kind) {
    Instant madeAt = Instant.ofEpochMilli(created.createdAt());
    return FileStore.idOf(RequestId.derived(madeAt, created.id() + "/" + kind));
  }
}
