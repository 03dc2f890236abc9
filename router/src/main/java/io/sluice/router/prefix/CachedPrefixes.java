package io.sluice.router.prefix;

/** Tells which workers have the beginning of a prompt in their engine's prefix cache. */
@FunctionalInterface
public interface CachedPrefixes {

  /** How many leading blocks of one prompt each worker has. */
  @FunctionalInterface
  interface Match {
    /** 0 for an unknown worker. */
    int blocks(String worker);
  }

  /** Looks up a prompt for all workers at once. */
  Match match(PrefixChain chain);
}
