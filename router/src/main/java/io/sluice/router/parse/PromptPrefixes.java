package io.sluice.router.parse;

import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestBodies;
import io.sluice.router.request.RequestMetadata;
import java.util.LinkedHashMap;
import java.util.Optional;

/**
 * What the prompts of one task's open requests begin with, as far as they were looked at lately: of
 * all others it is read again from the record, where that is at hand. Bounded. Not thread-safe.
 */
public final class PromptPrefixes {
  /** In hashes of eight bytes: 256 KiB, those of 8 MiB of prompts. */
  static final int MOST_BLOCKS = 32 * 1024;

  /** Of very short prompts, too, not more than these. */
  static final int MOST_REQUESTS = 1_024;

  private final LinkedHashMap<String, PrefixChain> byRequest = new LinkedHashMap<>();
  private final RequestBodies bodies;
  private int blocks;

  public PromptPrefixes(RequestBodies bodies) {
    this.bodies = bodies;
  }

  public void put(String requestId, PrefixChain prefix) {
    forget(requestId);
    byRequest.putLast(requestId, prefix);
    blocks += prefix.blocks();
    while (byRequest.size() > 1 && (blocks > MOST_BLOCKS || byRequest.size() > MOST_REQUESTS)) {
      blocks -= byRequest.pollFirstEntry().getValue().blocks();
    }
  }

  /** None is known of a request whose record is not at hand. */
  public PrefixChain get(RequestMetadata metadata) {
    PrefixChain known = byRequest.get(metadata.requestId());
    if (known != null) {
      return known;
    }
    Optional<PrefixChain> read =
        bodies.cached(metadata.source()).map(body -> PromptPrefix.of(body, metadata));
    read.ifPresent(chain -> put(metadata.requestId(), chain));
    return read.orElse(PrefixChain.NONE);
  }

  /** The request is over. */
  public void forget(String requestId) {
    PrefixChain known = byRequest.remove(requestId);
    blocks -= known == null ? 0 : known.blocks();
  }

  /** How many hashes are kept. */
  int blocks() {
    return blocks;
  }
}
