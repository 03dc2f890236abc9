package io.sluice.bench.replay.log;

import io.sluice.common.protocol.Priority;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestMetadata;
import java.util.OptionalDouble;

/**
 * A request that a pool received. Nothing of its text is kept.
 *
 * @param metadata what the router read of it, with the prompt tokens that it expected
 * @param prefix the hashes of its prompt
 * @param parked whether it came from the bulk topic
 */
public record RecordedRequest(
    RequestMetadata metadata, PrefixChain prefix, boolean parked, Happened happened) {

  /** Returns when it was appended, in epoch milliseconds. */
  public long arrivalMillis() {
    return metadata.appendTimeMillis();
  }

  /** Returns whether its caller waits for the first token. */
  public boolean isInteractive() {
    return metadata.priority() != Priority.BULK;
  }

  /**
   * Returns the length of its prompt: as the engine counted it, or else as the router expected it.
   */
  public int promptTokens() {
    int expected = (int) Math.min(Integer.MAX_VALUE, metadata.promptTokens());
    return Math.max(1, happened.promptTokens().orElse(expected));
  }

  /**
   * Returns the length of the blocks of its prefix in the engine's tokens; empty if the prompt is
   * shorter than a block. The router's estimate of that length is as far off as its estimate of the
   * prompt.
   */
  public OptionalDouble blockTokens() {
    if (prefix.blocks() == 0) {
      return OptionalDouble.empty();
    }
    double counted =
        metadata.estimatedTokens() > 0 ? promptTokens() / (double) metadata.estimatedTokens() : 1;
    return OptionalDouble.of(prefix.tokensPerBlock() * counted);
  }

  /** Returns the length of its answer: as recorded, or else as it was asked for or assumed. */
  public int outputTokens() {
    int expected = (int) Math.min(Integer.MAX_VALUE, metadata.outputTokens());
    return Math.max(1, happened.outputTokens().orElse(expected));
  }
}
