package io.sluice.worker.engine;

/**
 * Where an engine may be silent for long while it works on a streamed answer.
 *
 * @param betweenTokens whether it may make tokens that it does not send, or not yet
 */
public record Silence(boolean betweenTokens) {
  /** The engine sends each token at once. */
  public static final Silence NONE = new Silence(false);
}
