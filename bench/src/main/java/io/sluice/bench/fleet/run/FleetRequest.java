package io.sluice.bench.fleet.run;

import io.sluice.bench.trace.Trace;
import io.sluice.simulator.engine.SequenceRequest;
import io.sluice.simulator.text.TokenIds;
import java.util.Set;

/**
 * One request of a run.
 *
 * @param id its position in the workload, counted from 0
 * @param arrivalNanos when its caller sends it
 * @param blocks ids of the prompt's blocks, of which the last may be incomplete; equal ids mean
 *     equal tokens. Must not be modified
 * @param blockTokens how many tokens a block has
 * @param session the conversation that it continues
 * @param measured whether it is measured, or only keeps the fleet busy
 * @param bulk whether it is bulk
 */
public record FleetRequest(
    int id,
    long arrivalNanos,
    int promptTokens,
    int outputTokens,
    long[] blocks,
    int blockTokens,
    long session,
    boolean measured,
    boolean bulk) {
  private static final int VOCABULARY = 100_000;

  /** A request whose blocks are those of a {@link Trace}. */
  public FleetRequest(
      int id,
      long arrivalNanos,
      int promptTokens,
      int outputTokens,
      long[] blocks,
      long session,
      boolean measured,
      boolean bulk) {
    this(
        id,
        arrivalNanos,
        promptTokens,
        outputTokens,
        blocks,
        Trace.BLOCK_TOKENS,
        session,
        measured,
        bulk);
  }

  /** Returns the same request at another position. */
  public FleetRequest withId(int position) {
    return new FleetRequest(
        position,
        arrivalNanos,
        promptTokens,
        outputTokens,
        blocks,
        blockTokens,
        session,
        measured,
        bulk);
  }

  /** Returns the request in the form that an engine takes. */
  public SequenceRequest toSequence() {
    return toSequence(0);
  }

  /** Returns the rest of the request after a number of tokens of its answer. */
  SequenceRequest toSequence(int before) {
    // Generated tokens never occur in a prompt: the trace does not tell which later prompt
    // contains them. They must only differ from all prompts.
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
      long block = blocks[i / blockTokens];
      tokens[i] = Math.floorMod((int) Mix.of(block, i % blockTokens), VOCABULARY);
    }
    return TokenIds.of(tokens);
  }
}
