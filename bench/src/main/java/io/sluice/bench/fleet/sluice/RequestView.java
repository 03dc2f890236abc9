package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.router.request.RequestMetadata;

/** The requests of a run as the router sees them. Not thread-safe. */
public interface RequestView {
  /** The wall clock at the start of virtual time. */
  long START_EPOCH_MILLIS = 1_800_000_000_000L;

  /** Returns the wall clock at a moment of virtual time. */
  static long epochMillis(long nanos) {
    return START_EPOCH_MILLIS + nanos / 1_000_000;
  }

  /** Returns what the router reads of a request that is appended at a moment of virtual time. */
  RequestMetadata metadata(FleetRequest request, long appendNanos);

  /** Returns how many tokens the router takes the prompt to have. */
  long promptTokens(FleetRequest request);
}
