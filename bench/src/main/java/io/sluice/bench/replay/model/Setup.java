package io.sluice.bench.replay.model;

import io.sluice.router.policy.PolicyWeights;
import java.time.Duration;

/**
 * Who distributes the requests.
 *
 * @param policy {@value #SLUICE}, or the name of a balancer of {@code bench fleet}
 * @param weights of Sluice's policy
 * @param maxWait the longest wait of an interactive request, in the sense of Sluice's router
 */
public record Setup(String policy, PolicyWeights weights, Duration maxWait) {
  /** The router's own policy. */
  public static final String SLUICE = "sluice";

  boolean isSluice() {
    return policy.equals(SLUICE);
  }
}
