package io.sluice.simulator.http;

/** A body that is no text: its answer has no envelope. */
final class UnreadableBody extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreadableBody() {
    super("There was an error parsing the body", null, false, false);
  }
}
