package io.sluice.gateway.batch.record;

import io.sluice.common.protocol.RequestId;
import java.util.Optional;

/** Ids of batches: they sort by the time of their creation. */
public final class BatchId {
  static final String PREFIX = "batch_";

  private BatchId() {}

  /** Returns a new id. */
  public static String next() {
    return PREFIX + RequestId.next();
  }

  /** Returns the id if it is one. */
  public static Optional<String> parse(String text) {
    return text.startsWith(PREFIX)
        ? RequestId.timeOf(text.substring(PREFIX.length())).map(_ -> text)
        : Optional.empty();
  }
}
