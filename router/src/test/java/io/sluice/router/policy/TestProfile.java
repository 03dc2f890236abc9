package io.sluice.router.policy;

import io.sluice.common.protocol.Priority;
import io.sluice.router.prefix.PrefixChain;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A request as the policy sees it, that a test can shape. */
final class TestProfile {
  private String model = "llama";
  private long promptTokens = 3_000;
  private long outputTokens = 1_000;
  private List<String> tiers = List.of();
  private Set<String> needs = Set.of();
  private Optional<String> text = Optional.empty();
  private PrefixChain prefix = PrefixChain.NONE;

  TestProfile model(String name) {
    model = name;
    return this;
  }

  TestProfile promptTokens(long tokens) {
    promptTokens = tokens;
    return this;
  }

  TestProfile outputTokens(long tokens) {
    outputTokens = tokens;
    return this;
  }

  TestProfile tiers(String... names) {
    tiers = List.of(names);
    return this;
  }

  TestProfile needs(String... options) {
    needs = Set.of(options);
    return this;
  }

  TestProfile text(String kind) {
    text = Optional.of(kind);
    return this;
  }

  TestProfile prefix(PrefixChain chain) {
    prefix = chain;
    return this;
  }

  RequestProfile profile() {
    return new RequestProfile(
        model, "8k", promptTokens, outputTokens, tiers, Priority.INTERACTIVE, needs, text, prefix);
  }
}
