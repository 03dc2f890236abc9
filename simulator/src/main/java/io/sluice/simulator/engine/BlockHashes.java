package io.sluice.simulator.engine;

import io.sluice.simulator.text.SplitMix;
import io.sluice.simulator.text.TokenIds;
import java.util.Arrays;

/**
 * The chained hashes of a sequence's full blocks. Each hash covers the token ids of its block, the
 * previous hash, the LoRA adapter, and, in the first block, the cache salt. Equal prefixes have
 * equal hashes in every engine and every process. Grows with the sequence. Not thread-safe.
 */
public final class BlockHashes {

  /** A value that no hash has. */
  static final long NONE = 0;

  private static final long ROOT = SplitMix.GOLDEN_GAMMA;
  private static final long FACTOR = 0xD6E8FEB86659FD93L;

  private final long lora;
  private final int blockTokens;
  private long[] hashes;
  private int count;
  private long state;
  private int tokensInBlock;

  BlockHashes(CacheScope scope, int blockTokens, int expectedTokens) {
    this.blockTokens = blockTokens;
    lora = text(scope.loraName());
    state = ROOT ^ lora ^ Long.rotateLeft(text(scope.salt()), 17);
    hashes = new long[expectedTokens / blockTokens + 1];
  }

  /** Returns the hashes of a prompt's full blocks. */
  public static long[] of(SequenceRequest request, int blockTokens) {
    TokenIds prompt = request.prompt();
    var hashes = new BlockHashes(request.cacheScope(), blockTokens, prompt.size());
    for (int i = 0; i < prompt.size(); i++) {
      hashes.add(prompt.get(i));
    }
    return Arrays.copyOf(hashes.hashes, hashes.count);
  }

  void add(int tokenId) {
    state = (state ^ tokenId) * FACTOR;
    state ^= state >>> 32;
    if (++tokensInBlock == blockTokens) {
      endBlock();
    }
  }

  long get(int block) {
    return hashes[block];
  }

  private void endBlock() {
    if (count == hashes.length) {
      hashes = Arrays.copyOf(hashes, count * 2);
    }
    long hash = SplitMix.mix(state);
    hashes[count++] = hash == NONE ? 1 : hash;
    state = hash ^ lora;
    tokensInBlock = 0;
  }

  private static long text(String value) {
    long hash = 0;
    for (int i = 0; i < value.length(); i++) {
      hash = SplitMix.mix(hash + ROOT + value.charAt(i));
    }
    return hash;
  }
}
