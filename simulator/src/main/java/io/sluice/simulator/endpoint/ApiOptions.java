package io.sluice.simulator.endpoint;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Which endpoints there are, who may use them, and how much they take.
 *
 * @param apiKeys keys of which one is needed under /v1, /v2 and /inference; empty for open access
 * @param maxQueuedRequests unfinished requests above which new ones get 503
 * @param maxQueuedTokens prompt tokens not past prefill at which new requests get 503
 * @param sseKeepAlive silence after which a stream gets a comment
 * @param loadTracking whether /load counts
 * @param devMode whether there are /sleep, /pause, /reset_prefix_cache and the like
 * @param runtimeLora whether adapters can be loaded and unloaded at run time
 */
public record ApiOptions(
    Set<String> apiKeys,
    OptionalInt maxQueuedRequests,
    OptionalLong maxQueuedTokens,
    Optional<Duration> sseKeepAlive,
    boolean loadTracking,
    boolean devMode,
    boolean runtimeLora) {

  /** Copies the keys. */
  public ApiOptions {
    apiKeys = Set.copyOf(apiKeys);
  }
}
