package io.sluice.router.policy;

import io.sluice.common.protocol.Priority;
import java.util.Optional;

/**
 * What the policy needs to know of a request.
 *
 * @param lane the name of its lane
 * @param promptTokens estimated
 * @param outputTokens requested, or assumed where the request leaves it open
 * @param tier the quality tier it asks for; empty for any
 */
public record RequestProfile(
    String model,
    String lane,
    long promptTokens,
    long outputTokens,
    Optional<String> tier,
    Priority priority) {

  /** Prompt and output together, in tokens. */
  public long contextTokens() {
    return promptTokens + outputTokens;
  }
}
