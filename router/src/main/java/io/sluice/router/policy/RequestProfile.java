package io.sluice.router.policy;

import io.sluice.common.protocol.Priority;
import io.sluice.router.prefix.PrefixChain;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the policy needs to know of a request.
 *
 * @param lane the name of its lane
 * @param promptTokens estimated
 * @param outputTokens requested, or assumed where the request leaves it open
 * @param tiers the quality tiers that may serve it, the best one first; empty for any
 * @param needs request options that the engine must not refuse, such as {@code best_of}
 * @param text the kind of its text, such as {@code code}, for which a draft model may be tuned
 * @param prefix what its prompt begins with
 */
public record RequestProfile(
    String model,
    String lane,
    long promptTokens,
    long outputTokens,
    List<String> tiers,
    Priority priority,
    Set<String> needs,
    Optional<String> text,
    PrefixChain prefix) {
  public RequestProfile {
    tiers = List.copyOf(tiers);
    needs = Set.copyOf(needs);
  }

  /** Prompt and output together, in tokens. */
  public long contextTokens() {
    return promptTokens + outputTokens;
  }

  /** The same request, of whose prompt the beginning is known. */
  public RequestProfile beginningWith(PrefixChain chain) {
    return new RequestProfile(
        model, lane, promptTokens, outputTokens, tiers, priority, needs, text, chain);
  }
}
