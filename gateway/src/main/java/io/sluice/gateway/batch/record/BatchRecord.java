package io.sluice.gateway.batch.record;

/** A record of {@code sluice.batches}. */
public sealed interface BatchRecord permits CreatedBatch, BatchProgress, BatchCancellation {
  /** Returns the batch's id. */
  String id();
}
