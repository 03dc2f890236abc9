package io.sluice.worker.engine;

/**
 * Where an engine may be silent for long while it works on a streamed answer.
 *
 * @param beforeHead whether the response's head comes only with the first token, after queueing and
 *     prefill
 * @param betweenTokens whether it may make tokens that it does not send, or not yet
 */
public record Silence(boolean beforeHead, boolean betweenTokens) {
  /** The engine sends its head as soon as it has the request, and each token at once. */
  public static final Silence NONE = new Silence(false, false);
}
