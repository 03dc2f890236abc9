package io.sluice.router.prefix;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;

/**
 * The workers that have a part of one prompt cached, by number. As a rule only those with almost as
 * much as the first are visited, so no more than these are sorted. Immutable.
 */
public final class Holders {
  private final int[] blocks;

  /**
   * Creates a view.
   *
   * @param blocks how many leading blocks, or tokens, each worker has; must not change
   */
  public Holders(int[] blocks) {
    this.blocks = blocks;
  }

  /**
   * Passes the workers that have at least one block, those with the most first, equal ones in an
   * order that begins at random, until the visitor returns false.
   */
  public void forEach(RandomGenerator random, IntPredicate visitor) {
    int start = blocks.length == 0 ? 0 : random.nextInt(blocks.length);
    int longest = longest(start, Integer.MAX_VALUE);
    while (blocks(longest) > 0) {
      if (!visitor.test(longest) || !visitRest(longest, random, visitor)) {
        return;
      }
      longest = longest(start, blocks(longest) / 2);
    }
  }

  private int blocks(int worker) {
    return worker < 0 ? 0 : blocks[worker];
  }

  /**
   * Returns the first one of those with the most blocks, but no more than the limit; -1 for none.
   */
  private int longest(int start, int most) {
    int longest = -1;
    for (int step = 0; step < blocks.length; step++) {
      int worker = start + step < blocks.length ? start + step : start + step - blocks.length;
      if (blocks[worker] <= most && blocks[worker] > blocks(longest)) {
        longest = worker;
      }
    }
    return longest;
  }

  /**
   * Visits those with at most as many blocks as one that was visited, and more than half as many.
   */
  private boolean visitRest(int visited, RandomGenerator random, IntPredicate visitor) {
    int most = blocks[visited];
    int[] workers = new int[blocks.length];
    int count = 0;
    for (int worker = 0; worker < blocks.length; worker++) {
      if (blocks[worker] <= most && blocks[worker] > most / 2 && worker != visited) {
        workers[count++] = worker;
      }
    }
    int first = count == 0 ? 0 : random.nextInt(count);
    long[] keys = new long[count];
    for (int step = 0; step < count; step++) {
      int worker = workers[(first + step) % count];
      keys[step] = (long) (most - blocks[worker]) << Integer.SIZE | step;
    }
    Arrays.sort(keys);
    for (long key : keys) {
      if (!visitor.test(workers[(first + (int) key) % count])) {
        return false;
      }
    }
    return true;
  }
}
