package io.sluice.router.prefix;

import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.random.RandomGenerator;

/** Tells which workers have the beginning of a prompt in their engine's prefix cache. */
@FunctionalInterface
public interface CachedPrefixes {

  /** How many leading blocks of one prompt each worker has. */
  interface Match {
    /** 0 for an unknown worker. */
    int blocks(String worker);

    /**
     * Passes the workers that have at least one block, those with the most first, equal ones in an
     * order that begins at random, until the visitor returns false.
     */
    void forEachHolder(RandomGenerator random, Predicate<String> visitor);

    /** Returns a match that asks for each worker. */
    static Match of(List<String> workers, ToIntFunction<String> blocks) {
      return new Match() {
        @Override
        public int blocks(String worker) {
          return blocks.applyAsInt(worker);
        }

        @Override
        public void forEachHolder(RandomGenerator random, Predicate<String> visitor) {
          new Holders(workers.stream().mapToInt(blocks).toArray())
              .forEach(random, at -> visitor.test(workers.get(at)));
        }
      };
    }
  }

  /** Looks up a prompt for all workers at once. */
  Match match(PrefixChain chain);
}
