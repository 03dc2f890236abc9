package io.sluice.router.policy;

import io.sluice.common.protocol.Priority;
import io.sluice.router.prefix.PrefixChain;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the policy needs to know about a request.
 *
 * @param lane the name of its lane
 * @param promptTokens the estimated length of the prompt
 * @param outputTokens the requested output, or an assumed value if the request does not limit it
 * @param tiers the quality tiers that may serve it, the best one first; empty for any
 * @param needs request options that the engine must not refuse, such as {@code best_of}
 * @param text the kind of its text, such as {@code code}, for which a draft model may be tuned
 * @param prefix the prefix of its prompt
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

  /** Returns the same request, with a known prompt prefix. */
  public RequestProfile beginningWith(PrefixChain chain) {
    return new RequestProfile(
        model, lane, promptTokens, outputTokens, tiers, priority, needs, text, chain);
  }
}
