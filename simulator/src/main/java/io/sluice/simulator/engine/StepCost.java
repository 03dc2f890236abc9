package io.sluice.simulator.engine;

/**
 * What a step takes: {@code max(t0 + a*P + d*Q + b*D + c*K, f*D)} milliseconds for P prompt tokens
 * that read Q tokens of KV cache, and D decoding sequences that read K. No term is negative.
 *
 * @param baseMillis t0, what every step takes
 * @param prefillTokenMillis a, per prompt token computed
 * @param prefillKvTokenMillis d, per KV-cache token that a prompt token reads: attention, which
 *     grows with the square of a prompt
 * @param decodeSequenceMillis b, per sequence that decodes
 * @param kvTokenMillis c, per KV-cache token that those decodes read
 * @param frontEndTokenMillis f, what the server's front end takes per output token; 0 for one that
 *     is never the slower one
 */
public record StepCost(
    double baseMillis,
    double prefillTokenMillis,
    double prefillKvTokenMillis,
    double decodeSequenceMillis,
    double kvTokenMillis,
    double frontEndTokenMillis) {

  /** Checks the terms; the message names the one that is wrong. */
  public StepCost {
    check("base", baseMillis);
    check("prefill-token", prefillTokenMillis);
    check("prefill-kv-token", prefillKvTokenMillis);
    check("decode-sequence", decodeSequenceMillis);
    check("kv-token", kvTokenMillis);
    check("front-end-token", frontEndTokenMillis);
  }

  /** Returns the milliseconds of one step. */
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
