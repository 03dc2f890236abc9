package io.sluice.simulator.openai.request;

/** A body that is no text: its answer has no envelope. */
public final class UnreadableBody extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreadableBody() {
    super("There was an error parsing the body", null, false, false);
  }
}
