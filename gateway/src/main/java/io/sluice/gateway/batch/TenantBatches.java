package io.sluice.gateway.batch;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.BatchLog;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.config.BatchSettings;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import java.util.ArrayList;
import java.util.List;

/**
 * How many batches a tenant may have, and how large, because every gateway holds all of them in
 * memory. Batches that another gateway writes at the same moment are not counted. Thread-safe; does
 * not block.
 */
final class TenantBatches {
  /** Of all batches of a tenant, which have some KiB each if their input is good. */
  private static final long HEAP_SHARE = 16;

  private final BatchLog batchLog;
  private final BatchSettings limits;
  private final long mostBytes;

  /** The batches of this gateway that have not been read from the log yet. */
  private final List<CreatedBatch> begun = new ArrayList<>();

  TenantBatches(BatchLog batchLog, BatchSettings limits) {
    this(batchLog, limits, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  TenantBatches(BatchLog batchLog, BatchSettings limits, long mostBytes) {
    this.mostBytes = mostBytes;
    this.batchLog = batchLog;
    this.limits = limits;
    batchLog.onChange(this::forgetRead);
  }

  /** Does not wait for Kafka, because the log's reading thread calls it. */
  private synchronized void forgetRead() {
    begun.removeIf(batch -> batchLog.find(batch.id()).isPresent());
  }

  /**
   * Counts a batch that is about to be written.
   *
   * @throws ApiException with status 429 if its tenant has too many
   */
  synchronized void add(CreatedBatch created) {
    forgetRead();
    String tenant = created.tenant();
    long unread = begun.stream().filter(other -> other.tenant().equals(tenant)).count();
    List<Batch> read = batchLog.ofTenant(tenant);
    if (read.stream().filter(batch -> !batch.isEnded()).count() + unread
        >= limits.maxUnfinished()) {
      throw refused(
          "%d batches of this tenant have not ended, which is the maximum; wait until one has, or cancel one"
              .formatted(limits.maxUnfinished()));
    }
    if (read.size() + unread >= limits.maxKept()) {
      throw refused(
          "this tenant has %d batches of the last 30 days, which is the maximum; put more requests into one batch, or ask the gateway's operator to raise --batch-max-kept"
              .formatted(limits.maxKept()));
    }
    if (read.stream().mapToLong(Batch::memoryBytes).sum() >= mostBytes) {
      throw refused(
          "the batches of this tenant of the last 30 days have too many errors and too much metadata; repair the input files, or ask the gateway's operator for more memory");
    }
    begun.add(created);
  }

  /** Forgets a batch that could not be written. */
  synchronized void remove(CreatedBatch created) {
    begun.remove(created);
  }

  /** A client that repeats the request by itself, seconds later, would be refused again. */
  private static ApiException refused(String message) {
    return new ApiException(ApiError.of(ErrorKind.QUOTA_EXCEEDED, message).neverRetry());
  }
}
