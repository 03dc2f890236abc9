package io.sluice.bench.fleet;

import io.sluice.bench.trace.Trace;
import io.sluice.simulator.engine.SequenceRequest;
import io.sluice.simulator.text.TokenIds;
import java.util.Set;

/**
 * One request of a run.
 *
 * @param id its place in the workload, from 0
 * @param arrivalNanos when its caller sends it
 * @param blocks ids of the prompt's blocks of {@value Trace#BLOCK_TOKENS} tokens, the last one
 *     perhaps begun only; equal ids are equal tokens. Not to be changed
 * @param session names what it continues
 * @param measured whether it counts, or only keeps the fleet busy
 */
record FleetRequest(
    int id,
    long arrivalNanos,
    int promptTokens,
    int outputTokens,
    long[] blocks,
    long session,
    boolean measured) {
  private static final int VOCABULARY = 100_000;

  /** The request as an engine takes it. */
  SequenceRequest toSequence() {
    // What is generated is never asked about again: the trace does not tell which later prompt
    // contains it. It only must not look like any prompt.
    long content = Mix.of(id, 0x5eed);
    int[] made = {0};
    return new SequenceRequest(
        id,
        prompt(),
        outputTokens,
        Set.of(),
        0,
        () -> Math.floorMod((int) Mix.of(content, made[0]++), VOCABULARY));
  }

  private TokenIds prompt() {
    int[] tokens = new int[promptTokens];
    for (int i = 0; i < promptTokens; i++) {
      long block = blocks[i / Trace.BLOCK_TOKENS];
      tokens[i] = Math.floorMod((int) Mix.of(block, i % Trace.BLOCK_TOKENS), VOCABULARY);
    }
    return TokenIds.of(tokens);
  }
}
