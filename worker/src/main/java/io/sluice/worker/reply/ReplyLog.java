package io.sluice.worker.reply;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import java.util.concurrent.CompletableFuture;

/**
 * The log to which a worker writes replies and outcomes. Records of one writer keep their order.
 * Thread-safe.
 */
public interface ReplyLog {

  /**
   * Appends a reply record. May block for a bounded time if the log is not available.
   *
   * @return the record's offset once it is written durably, or the failure, within a bounded time;
   *     {@link ReplyTooLargeException} if no retry can succeed
   */
  CompletableFuture<Long> append(ReplyRecord record);

  /**
   * Appends an outcome to the request's partition. An outcome that cannot be written is logged and
   * lost; the lease then ends by its timeout. May block for a bounded time.
   *
   * @return the record's offset once it is written durably, or the failure, within a bounded time
   */
  CompletableFuture<Long> report(int requestPartition, Outcome outcome);

  /**
   * Reports progress, which keeps a lease alive. It is gathered for a moment with that of other
   * leases.
   */
  void progress(int requestPartition, LeaseRef lease, Outcome.Progress progress);
}
