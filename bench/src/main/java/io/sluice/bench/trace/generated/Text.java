package io.sluice.bench.trace.generated;

import io.sluice.bench.trace.Trace;
import java.util.Arrays;

/**
 * The content of a prompt. Texts with the same content begin equally.
 *
 * @param shared ids of its first blocks, which it has from another text. Must not be modified
 * @param content the number of what follows
 * @param tokens of both, at least as many as the shared blocks have
 */
record Text(long[] shared, long content, int tokens) {
  /** More blocks than any text has, so that no two contents have a block id in common. */
  private static final long MOST_BLOCKS = 1_024;

  /** Returns a text that has nothing from another one. */
  static Text of(long content, int tokens) {
    return new Text(new long[0], content, tokens);
  }

  /** Returns the same text, continued. */
  Text plus(int more) {
    return new Text(shared, content, tokens + more);
  }

  /**
   * Returns a text that begins with this one, but continues with its own content. They have the
   * whole blocks in common: what is after these differs, too.
   */
  Text continuedBy(long other) {
    return new Text(Arrays.copyOf(blocks(), tokens / Trace.BLOCK_TOKENS), other, tokens);
  }

  /** Returns the ids of its blocks, of which the last may be incomplete. */
  long[] blocks() {
    long[] blocks = Arrays.copyOf(shared, Math.ceilDiv(tokens, Trace.BLOCK_TOKENS));
    for (int i = shared.length; i < blocks.length; i++) {
      blocks[i] = content * MOST_BLOCKS + i;
    }
    return blocks;
  }
}
