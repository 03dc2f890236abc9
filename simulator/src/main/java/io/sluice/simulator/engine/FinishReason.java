package io.sluice.simulator.engine;

/** Why a sequence ended. The names and their order are those of the API and the metrics. */
public enum FinishReason {
  /** The model ended the text, or a stop token or stop string was generated. */
  STOP("stop"),
  /** The token limit or the end of the context was reached. */
  LENGTH("length"),
  /** The engine aborted the request, for instance at shutdown. */
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
