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
 * @param bulk whether it can be put off
 */
record FleetRequest(
    int id,
    long arrivalNanos,
    int promptTokens,
    int outputTokens,
    long[] blocks,
    long session,
    boolean measured,
    boolean bulk) {
  private static final int VOCABULARY = 100_000;

  /** The request as an engine takes it. */
  SequenceRequest toSequence() {
    return toSequence(0);
  }

  /** The rest of the request, after so many tokens of the answer. */
  SequenceRequest toSequence(int before) {
    // What is generated is never asked about again: the trace does not tell which later prompt
    // contains it. It only must not look like any prompt.
    long content = Mix.of(id, 0x5eed);
    int[] made = {before};
    return new SequenceRequest(
        id,
        prompt(content, before),
        outputTokens - before,
        Set.of(),
        0,
        () -> output(content, made[0]++));
  }

  private static int output(long content, int at) {
    return Math.floorMod((int) Mix.of(content, at), VOCABULARY);
  }

  private TokenIds prompt(long content, int before) {
    int[] tokens = new int[promptTokens + before];
    for (int i = 0; i < before; i++) {
      tokens[promptTokens + i] = output(content, i);
    }
    for (int i = 0; i < promptTokens; i++) {
      long block = blocks[i / Trace.BLOCK_TOKENS];
      tokens[i] = Math.floorMod((int) Mix.of(block, i % Trace.BLOCK_TOKENS), VOCABULARY);
    }
    return TokenIds.of(tokens);
  }
}
