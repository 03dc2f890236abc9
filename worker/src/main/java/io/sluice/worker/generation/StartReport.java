package io.sluice.worker.generation;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Tells the router, once in a run, that the first record of an attempt is in the log. Not
 * thread-safe.
 */
final class StartReport {
  /** How often to check for the first acknowledgement, so that the router learns of it soon. */
  private static final Duration CHECK = Duration.ofMillis(20);

  private final Attempt attempt;
  private final RunMeasurements measured;
  private boolean isSent;

  StartReport(Attempt attempt, RunMeasurements measured) {
    this.attempt = attempt;
    this.measured = measured;
  }

  /** Sends the report if the log has acknowledged the first tokens. */
  void sendIfDue() {
    if (attempt.writer().isFirstAcknowledged()) {
      send();
    }
  }

  /** Sends the report if there is a record, unless it is sent. */
  void send() {
    if (isPossible()) {
      var _ = report();
    }
  }

  /**
   * Waits until the report of a suspect request is in the log, if it has a record. A worker that
   * dies between its first token and the report would seem to have died of the request; what could
   * kill it is done by now.
   */
  void awaitOfSuspect() throws AttemptEndedException, InterruptedException {
    if (attempt.request().assignment().suspect() && isPossible()) {
      attempt.lease().awaitOrStop(report());
    }
  }

  /** Returns how long its sender may wait for something else. */
  Duration patience(Duration patience) {
    boolean isAwaited = attempt.writer().hasTokens() && !isSent;
    return isAwaited && CHECK.compareTo(patience) < 0 ? CHECK : patience;
  }

  private boolean isPossible() {
    return !isSent && attempt.writer().firstOffset().isPresent();
  }

  private CompletableFuture<Long> report() {
    isSent = true;
    Assignment assignment = attempt.request().assignment();
    Outcome.Event started =
        new Outcome.Started(
            assignment.replyTo().topic(),
            assignment.replyTo().partition(),
            attempt.writer().firstOffset().getAsLong(),
            measured.ttftMillis(),
            measured.cachedTokens());
    var outcome = new Outcome(assignment.lease(), started);
    attempt.services().meter().outcome(outcome);
    return attempt.services().log().report(assignment.requestPartition(), outcome);
  }
}
