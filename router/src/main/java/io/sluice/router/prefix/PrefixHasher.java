package io.sluice.router.prefix;

import io.sluice.common.protocol.Sha256;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Builds the {@link PrefixChain} of a prompt from its parts, in the order in which an engine sees
 * them. A hash covers all bytes up to the end of its block of {@value #BLOCK_BYTES} bytes, about 64
 * tokens of English: {@code h = mix(h, word)} over the block's 64-bit words, with the multipliers
 * and the finish of MurmurHash3. An incomplete last block has no hash, because engines do not cache
 * one.
 *
 * <p>The hashes are the same in every process, because routers exchange them. They do not resist
 * deliberate collisions: a wrong match costs only a worse choice of worker, never a wrong answer.
 * Not thread-safe; use one instance per prompt.
 */
public final class PrefixHasher {
  /** The part of a prompt that one hash adds. */
  public static final int BLOCK_BYTES = 256;

  private static final int DIGEST_BYTES = 16;

  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] block = new byte[BLOCK_BYTES];
  private int filled;
  private long hash = 0x9e3779b97f4a7c15L;
  private long[] hashes = new long[16];
  private int blocks;
  private long bytes;

  /** Adds a part. Its end is marked, so that "ab", "c" and "a", "bc" differ. */
  public PrefixHasher text(String part) {
    byte[] encoded = part.getBytes(StandardCharsets.UTF_8);
    append(encoded, encoded.length);
    append(new byte[] {(byte) 0xff}, 1); // does not occur in UTF-8 text
    return this;
  }

  /**
   * Adds a part that is not text, such as a picture, by a digest of fixed size, because the length
   * of such a part says nothing of its tokens.
   */
  public PrefixHasher digest(String part) {
    append(Sha256.of(part), DIGEST_BYTES);
    return this;
  }

  /** Adds a token by its id. */
  public PrefixHasher tokenId(int id) {
    byte[] word = new byte[Integer.BYTES];
    INTS.set(word, 0, id);
    append(word, word.length);
    return this;
  }

  /**
   * Returns the chain of what was added.
   *
   * @param promptTokens the estimated length of the prompt, for the size of a block
   */
  public PrefixChain chain(long promptTokens) {
    if (blocks == 0) {
      return PrefixChain.NONE;
    }
    double tokensPerByte = (double) promptTokens / bytes;
    int tokensPerBlock = Math.clamp(Math.round(BLOCK_BYTES * tokensPerByte), 1, BLOCK_BYTES);
    return new PrefixChain(Arrays.copyOf(hashes, blocks), tokensPerBlock);
  }

  private void append(byte[] part, int length) {
    bytes += length;
    int from = 0;
    while (from < length) {
      int taken = Math.min(length - from, BLOCK_BYTES - filled);
      System.arraycopy(part, from, block, filled, taken);
      from += taken;
      filled += taken;
      if (filled == BLOCK_BYTES) {
        endBlock();
      }
    }
  }

  private void endBlock() {
    for (int at = 0; at < BLOCK_BYTES; at += Long.BYTES) {
      hash = mix(hash, (long) WORDS.get(block, at));
    }
    if (blocks == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * blocks);
    }
    hashes[blocks++] = finish(hash);
    filled = 0;
  }

  private static long mix(long hash, long word) {
    long k = Long.rotateLeft(word * 0x87c37b91114253d5L, 31) * 0x4cf5ad432745937fL;
    return Long.rotateLeft(hash ^ k, 27) * 5 + 0x52dce729L;
  }

  static long finish(long hash) {
    long h = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    h = (h ^ (h >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return h ^ (h >>> 33);
  }
}
