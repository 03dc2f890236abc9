package io.sluice.worker.generation;

import io.sluice.common.protocol.Outcome;
import java.util.Optional;

/** The attempt has come to its end, in one way or another. */
final class AttemptEndedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Optional<Outcome.Event> event;

  private AttemptEndedException(Optional<Outcome.Event> event) {
    super("the attempt is over", null, false, false);
    this.event = event;
  }

  /** With this to report. */
  static AttemptEndedException with(Outcome.Event event) {
    return new AttemptEndedException(Optional.of(event));
  }

  /** With nothing to report, for nobody may hear of it. */
  static AttemptEndedException silently() {
    return new AttemptEndedException(Optional.empty());
  }

  Optional<Outcome.Event> event() {
    return event;
  }
}
