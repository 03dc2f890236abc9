package io.sluice.router.queue;

import io.sluice.router.request.RequestMetadata;

/**
 * Bulk requests that the same workers can take.
 *
 * @param contextTokens their prompt and output, rounded down so that there are few sizes
 */
public record BulkSize(RequestKind kind, long contextTokens) {
  private static final long STEP = 256;

  public BulkSize {
    contextTokens -= contextTokens % STEP;
  }

  /** Returns the size of a request. */
  public static BulkSize of(RequestMetadata metadata) {
    return new BulkSize(RequestKind.of(metadata), metadata.contextTokens());
  }
}
