package io.sluice.worker.reply;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import java.util.concurrent.CompletableFuture;

/**
 * Where a worker writes replies and outcomes. Records of one writer keep their order. Thread-safe.
 */
public interface ReplyLog {

  /**
   * Appends a reply record. May block for a bounded time when the log is away.
   *
   * @return its offset once it is in the log for good, or the failure, after a bounded time; {@link
   *     ReplyTooLargeException} where no try can succeed
   */
  CompletableFuture<Long> append(ReplyRecord record);

  /**
   * Appends an outcome to a request's own partition. One that cannot be written is logged and lost:
   * the lease then ends by its time-out. May block for a bounded time.
   *
   * @return its offset once it is in the log for good, or the failure, after a bounded time
   */
  CompletableFuture<Long> report(int requestPartition, Outcome outcome);

  /** The same for what only keeps a lease alive, which is gathered for a moment. */
  void progress(int requestPartition, LeaseRef lease, Outcome.Progress progress);
}
