package io.sluice.simulator.engine;

import io.sluice.simulator.text.TokenIds;
import java.util.List;
import java.util.OptionalLong;

/**
 * Full blocks of one sequence, in order, that were cached.
 *
 * @param hashes the chained hash of each block; unsigned 64-bit
 * @param parent the hash of the block before the first one; empty at the start of a sequence
 * @param tokenIds the tokens of all these blocks
 * @param blockTokens the number of tokens per block
 * @param loraName the LoRA adapter; empty for the base model
 */
public record StoredBlocks(
    List<Long> hashes, OptionalLong parent, TokenIds tokenIds, int blockTokens, String loraName) {

  /** Copies the hashes. */
  public StoredBlocks {
    hashes = List.copyOf(hashes);
  }
}
