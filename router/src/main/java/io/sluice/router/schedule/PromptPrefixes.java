package io.sluice.router.schedule;

import io.sluice.router.policy.PrefixChain;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the prompts of one task's open requests begin with; read again from the stored body where a
 * request came before the task did. Not thread-safe.
 */
final class PromptPrefixes {
  private final Map<String, PrefixChain> byRequest = new HashMap<>();

  void put(String requestId, PrefixChain prefix) {
    byRequest.put(requestId, prefix);
  }

  PrefixChain get(RequestFacts facts, RequestStore store) {
    PrefixChain known = byRequest.get(facts.requestId());
    if (known != null) {
      return known;
    }
    Optional<RequestBody> body = store.body(facts.requestId());
    PrefixChain read = body.map(b -> PromptPrefix.of(b, facts)).orElse(PrefixChain.NONE);
    put(facts.requestId(), read);
    return read;
  }

  /** The request is over. */
  void forget(String requestId) {
    byRequest.remove(requestId);
  }
}
