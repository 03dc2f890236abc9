package io.sluice.gateway.batch;

import io.micronaut.http.HttpHeaders;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.BatchCancellation;
import io.sluice.gateway.batch.record.BatchId;
import io.sluice.gateway.batch.record.BatchLog;
import io.sluice.gateway.batch.record.BatchLogException;
import io.sluice.gateway.batch.record.BatchRecord;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.batch.record.CreatedBatchBuilder;
import io.sluice.gateway.config.BatchSettings;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.StorageException;
import io.sluice.gateway.files.StoredFile;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.Failures;
import io.sluice.gateway.pool.CallerHeaders;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches of callers. Any gateway answers for any batch. Thread-safe; methods block a bounded
 * time, and throw {@link ApiException} for what prevents them.
 */
final class Batches {
  private static final Logger log = LoggerFactory.getLogger(Batches.class);
  private static final String PURPOSE = "batch";

  private final BatchLog batchLog;
  private final TenantBatches counted;
  private final FileStore files;
  private final long tenantMaxBytes;
  private final Clock clock;

  /**
   * @param tenantMaxBytes if the files of a tenant have as many bytes, it can create no batch
   */
  Batches(
      BatchLog batchLog, FileStore files, long tenantMaxBytes, BatchSettings limits, Clock clock) {
    this.batchLog = batchLog;
    this.counted = new TenantBatches(batchLog, limits);
    this.files = files;
    this.tenantMaxBytes = tenantMaxBytes;
    this.clock = clock;
  }

  /** Creates a batch with this id; it is durable when this returns. */
  Batch create(String id, BatchRequestBody body, HttpHeaders headers, Caller caller) {
    long now = clock.millis();
    CreatedBatch created =
        CreatedBatchBuilder.builder()
            .id(id)
            .tenant(caller.tenant())
            .createdAt(now)
            .expiresAt(now + body.time().toMillis())
            .inputFileId(inputFile(body.inputFileId(), caller))
            .endpoint(body.endpoint())
            .window(body.window())
            .metadata(body.metadata())
            .headers(CallerHeaders.checked(headers))
            .limits(caller.limits())
            .outputKeptSeconds(body.outputKeptSeconds())
            .build();
    awaitCurrent();
    counted.add(created);
    try {
      append(created);
    } catch (ApiException e) {
      counted.remove(created);
      throw e;
    }
    return Batch.of(created);
  }

  /** Returns a batch of the caller. */
  Batch find(String id, Caller caller) {
    return sought(id, caller)
        .orElseThrow(
            () -> new ApiException(ErrorKind.REQUEST_NOT_FOUND, "there is no batch '" + id + "'"));
  }

  /** Returns a batch of the caller; empty if there is none. */
  Optional<Batch> sought(String id, Caller caller) {
    awaitCurrent();
    return BatchId.parse(id)
        .flatMap(batchLog::find)
        .filter(batch -> batch.created().tenant().equals(caller.tenant()));
  }

  /** Cancels a batch; repeated calls have no effect. */
  Batch cancel(String id, Caller caller) {
    Batch batch = find(id, caller);
    if (batch.cancellingAt().isPresent()) {
      return batch;
    }
    if (batch.isEnded()) {
      throw new ApiException(
          ApiError.conflict(
              "batch_ended", "a batch with status '" + batch.status() + "' cannot be cancelled"));
    }
    append(new BatchCancellation(id, clock.millis()));
    return find(id, caller);
  }

  /** Returns the batches of the caller, the newest first. */
  List<Batch> list(Caller caller) {
    awaitCurrent();
    return batchLog.ofTenant(caller.tenant());
  }

  private String inputFile(String id, Caller caller) {
    Optional<StoredFile> file;
    try {
      file = files.find(id, caller.tenant());
      requireRoom(caller.tenant());
    } catch (StorageException e) {
      log.error("event=file_storage_failed reason=\"{}\"", e.getMessage(), e);
      throw new ApiException(ErrorKind.UNAVAILABLE, "the file storage cannot be reached");
    }
    if (file.isEmpty()) {
      throw new ApiException(
          ErrorKind.INVALID_REQUEST, "there is no file '" + id + "'", "input_file_id");
    }
    if (!file.get().purpose().equals(PURPOSE)) {
      throw new ApiException(
          ErrorKind.INVALID_REQUEST,
          "the file '%s' has the purpose '%s', not 'batch'".formatted(id, file.get().purpose()),
          "input_file_id");
    }
    return id;
  }

  /** Results are not cut, so that a batch that has begun can end. */
  private void requireRoom(String tenant) {
    if (files.usage(tenant).bytes() >= tenantMaxBytes) {
      throw new ApiException(
          ApiError.of(
                  ErrorKind.QUOTA_EXCEEDED,
                  "the files of this tenant use %d bytes, which is the maximum: delete some, such as the results of old batches"
                      .formatted(tenantMaxBytes))
              .neverRetry());
    }
  }

  private void append(BatchRecord record) {
    try {
      batchLog.append(record);
    } catch (BatchLogException e) {
      throw unreachable(e);
    }
  }

  private void awaitCurrent() {
    try {
      batchLog.awaitCurrent();
    } catch (BatchLogException e) {
      throw unreachable(e);
    }
  }

  private static ApiException unreachable(BatchLogException e) {
    return new ApiException(Failures.unreachable(Optional.empty(), String.valueOf(e.getMessage())));
  }
}
