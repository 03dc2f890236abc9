package io.sluice.simulator.openai.request;

/** A body is not text. The answer has no error envelope. */
public final class UnreadableBody extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreadableBody() {
    super("There was an error parsing the body", null, false, false);
  }
}
