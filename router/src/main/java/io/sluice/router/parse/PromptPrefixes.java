package io.sluice.router.parse;

import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestBodies;
import io.sluice.router.request.RequestMetadata;
import java.util.LinkedHashMap;
import java.util.Optional;

/**
 * The recently used prompt prefixes of one task's open requests. Other prefixes are read again from
 * the record, if it is cached. Bounded. Not thread-safe.
 */
public final class PromptPrefixes {
  /** In hashes of eight bytes: 256 KiB, for 8 MiB of prompts. */
  static final int MOST_BLOCKS = 32 * 1024;

  /** Limits the number of very short prompts. */
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

  /** Returns an empty chain if the record of the request is not cached. */
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

  /** The request has ended. */
  public void forget(String requestId) {
    PrefixChain known = byRequest.remove(requestId);
    blocks -= known == null ? 0 : known.blocks();
  }
}
