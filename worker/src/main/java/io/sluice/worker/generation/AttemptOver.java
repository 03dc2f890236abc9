package io.sluice.worker.generation;

import io.sluice.common.protocol.Outcome;
import java.util.Optional;

/** The attempt has come to its end, in one way or another. */
final class AttemptOver extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Optional<Outcome.Event> event;

  private AttemptOver(Optional<Outcome.Event> event) {
    super("the attempt is over", null, false, false);
    this.event = event;
  }

  /** With this to report. */
  static AttemptOver with(Outcome.Event event) {
    return new AttemptOver(Optional.of(event));
  }

  /** With nothing to report, for nobody may hear of it. */
  static AttemptOver silently() {
    return new AttemptOver(Optional.empty());
  }

  Optional<Outcome.Event> event() {
    return event;
  }
}
