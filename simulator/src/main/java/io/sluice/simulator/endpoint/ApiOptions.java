package io.sluice.simulator.endpoint;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The options of the endpoints.
 *
 * @param apiKeys the accepted keys; one is required under /v1, /v2 and /inference; empty for open
 *     access
 * @param maxQueuedRequests the number of unfinished requests above which new ones get 503
 * @param maxQueuedTokens the number of prompt tokens not past prefill at which new requests get 503
 * @param sseKeepAlive the silence after which a stream gets a comment
 * @param loadTracking whether /load counts requests
 * @param devMode whether /sleep, /pause, /reset_prefix_cache and similar endpoints exist
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
