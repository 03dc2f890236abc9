package io.sluice.simulator.engine.timing;

/**
 * The time of a step: {@code max(t0 + a*P + d*Q + b*D + c*K, f*D)} milliseconds for P prompt tokens
 * that read Q tokens of KV cache, and D decoding sequences that read K tokens. No term is negative.
 *
 * @param baseMillis t0, the fixed time of a step
 * @param prefillTokenMillis a, per prompt token computed
 * @param prefillKvTokenMillis d, per KV-cache token that a prompt token reads: attention, which
 *     grows with the square of a prompt
 * @param decodeSequenceMillis b, per decoding sequence
 * @param kvTokenMillis c, per KV-cache token that decoding sequences read
 * @param frontEndTokenMillis f, the time of the server's front end per output token; 0 if it is
 *     never the slower one
 */
public record StepCost(
    double baseMillis,
    double prefillTokenMillis,
    double prefillKvTokenMillis,
    double decodeSequenceMillis,
    double kvTokenMillis,
    double frontEndTokenMillis) {

  /** Validates the terms. The message names the wrong one. */
  public StepCost {
    check("base", baseMillis);
    check("prefill-token", prefillTokenMillis);
    check("prefill-kv-token", prefillKvTokenMillis);
    check("decode-sequence", decodeSequenceMillis);
    check("kv-token", kvTokenMillis);
    check("front-end-token", frontEndTokenMillis);
  }

  /** Returns the duration of a step in milliseconds. */
  public double stepMillis(StepWork work) {
    double gpuMillis =
        baseMillis
            + prefillTokenMillis * work.prefillTokens()
            + prefillKvTokenMillis * work.prefillReads()
            + decodeSequenceMillis * work.decodeSequences()
            + kvTokenMillis * work.decodeReads();
    return Math.max(gpuMillis, frontEndTokenMillis * work.decodeSequences());
  }

  private static void check(String term, double millis) {
    if (!(millis >= 0) || Double.isInfinite(millis)) {
      throw new IllegalArgumentException(
          "The time per step's %s must be 0 ms or more, got %s.".formatted(term, millis));
    }
  }
}
