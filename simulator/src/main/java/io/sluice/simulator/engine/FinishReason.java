package io.sluice.simulator.engine;

/** Why a sequence ended; the names are those of the wire and of the metrics, in their order. */
public enum FinishReason {
  /** The model ended, or a stop token or stop string came. */
  STOP("stop"),
  /** The token limit or the context was reached. */
  LENGTH("length"),
  /** The engine gave the request up, for instance at shutdown. */
  ABORT("abort"),
  /** The engine failed. */
  ERROR("error"),
  /** The model repeated itself, and the request asked to end it then. */
  REPETITION("repetition");

  private final String wireName;

  FinishReason(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in responses and metric labels. */
  public String wireName() {
    return wireName;
  }
}
