package io.sluice.worker.generation;

import io.sluice.common.protocol.Outcome;
import java.util.Optional;

/** Ends an attempt, for whatever reason. Carries the outcome to report. */
final class AttemptEndedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Optional<Outcome.Event> event;

  private AttemptEndedException(Optional<Outcome.Event> event) {
    super("the attempt has ended", null, false, false);
    this.event = event;
  }

  /** Returns an end with an outcome to report. */
  static AttemptEndedException with(Outcome.Event event) {
    return new AttemptEndedException(Optional.of(event));
  }

  /** Returns an end without an outcome, for attempts that must not be reported. */
  static AttemptEndedException silently() {
    return new AttemptEndedException(Optional.empty());
  }

  Optional<Outcome.Event> event() {
    return event;
  }
}
