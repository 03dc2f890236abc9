package io.sluice.router.queue;

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
}
