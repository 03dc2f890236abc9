package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.VirtualTime;
import io.sluice.worker.intake.SuspectReservation;
import java.time.Duration;

/**
 * Lets suspects into the engine of a worker by the real worker's rules: a suspect waits until every
 * other request there has a token, for a second at most, and nothing else is taken until it has one
 * itself. Not thread-safe.
 */
final class SuspectEntrance {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration SLICE = Duration.ofMillis(20);

  private final VirtualTime time;
  private final HeldRequests held;
  private final SuspectReservation reservation = new SuspectReservation();

  SuspectEntrance(VirtualTime time, HeldRequests held) {
    this.time = time;
    this.held = held;
  }

  /** Returns whether a request is refused because of a suspect that is here or expected. */
  boolean isClosedTo(boolean isSuspect) {
    return (!isSuspect && reservation.isActive(time.nowNanos()))
        || held.all().stream().anyMatch(HeldRequest::isSuspect);
  }

  /** Calls one of two actions as soon as it is clear whether the suspect is alone. */
  void enter(HeldRequest suspect, Runnable alone, Runnable notAlone) {
    enter(suspect, time.nowNanos() + PATIENCE.toNanos(), alone, notAlone);
  }

  private void enter(HeldRequest suspect, long untilNanos, Runnable alone, Runnable notAlone) {
    if (!held.has(suspect)) {
      return;
    }
    if (held.all().stream().allMatch(other -> other.equals(suspect) || other.isProven())) {
      alone.run();
    } else if (time.nowNanos() >= untilNanos) {
      notAlone.run();
    } else {
      reservation.suspectWaits(suspect.lease().requestId(), time.nowNanos());
      time.at(time.nowNanos() + SLICE.toNanos(), () -> enter(suspect, untilNanos, alone, notAlone));
    }
  }
}
