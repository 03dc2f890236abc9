package io.sluice.common.trace;

/**
 * The share of new traces that are recorded. The decision follows from the trace id, as that of
 * OpenTelemetry's {@code TraceIdRatioBased} does, so that all services decide alike.
 *
 * @param share 0 for none, 1 for all
 */
public record SampleRatio(double share) {

  public SampleRatio {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("a share is from 0 to 1, not " + share);
    }
  }

  /** Returns whether a new trace of this id is recorded. */
  public boolean includes(String traceId) {
    long random = Long.parseUnsignedLong(traceId, 16, 32, 16) & Long.MAX_VALUE;
    return share == 1 || random < (long) (share * Long.MAX_VALUE);
  }
}
