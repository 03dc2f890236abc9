package io.sluice.router.app;

import io.sluice.router.queue.Backlog;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options of {@code sluice router} that say how much is too much. */
final class LimitOptions {
  @Option(
      names = "--max-pending",
      paramLabel = "REQUESTS",
      defaultValue = "${env:SLUICE_MAX_PENDING:-100000}",
      description = "Waiting requests beyond which new ones are refused (SLUICE_MAX_PENDING)")
  private int maxPending;

  @Option(
      names = "--max-pending-bytes",
      paramLabel = "BYTES",
      defaultValue = "${env:SLUICE_MAX_PENDING_BYTES:-0}",
      description =
          "The same in bytes of the heap that they take; 0 for a quarter of the heap"
              + " (SLUICE_MAX_PENDING_BYTES)")
  private long maxPendingBytes;

  @Option(
      names = "--max-wait",
      paramLabel = "SECONDS",
      defaultValue = "${env:SLUICE_MAX_WAIT_SECONDS:-30}",
      description =
          "Interactive requests that would wait longer for a worker are refused"
              + " (SLUICE_MAX_WAIT_SECONDS)")
  private int maxWaitSeconds;

  @Option(
      names = "--model-grace",
      paramLabel = "SECONDS",
      defaultValue = "${env:SLUICE_MODEL_GRACE_SECONDS:-10}",
      description =
          "How long requests wait for a worker to join that serves their model, or their length"
              + " (SLUICE_MODEL_GRACE_SECONDS)")
  private int modelGraceSeconds;

  @Option(
      names = "--max-deadline",
      paramLabel = "HOURS",
      defaultValue = "${env:SLUICE_MAX_DEADLINE_HOURS:-24}",
      description = "Longer deadlines are refused; at least 24 (SLUICE_MAX_DEADLINE_HOURS)")
  private int maxDeadlineHours;

  @Option(
      names = "--max-failures",
      paramLabel = "ATTEMPTS",
      defaultValue = "${env:SLUICE_MAX_FAILURES:-3}",
      description = "Attempts that may fail in an engine (SLUICE_MAX_FAILURES)")
  private int maxFailures;

  /** How much may wait. */
  Backlog.Limits pending() {
    return maxPendingBytes == 0
        ? RouterConfig.pendingLimits(maxPending)
        : new Backlog.Limits(maxPending, maxPendingBytes);
  }

  /** How long an interactive request may wait for a worker. */
  Duration maxWait() {
    return Duration.ofSeconds(maxWaitSeconds);
  }

  /** How long requests wait for a worker that serves them to join. */
  Duration modelGrace() {
    return Duration.ofSeconds(modelGraceSeconds);
  }

  /** How long after it came a request's answer may be wanted. */
  Duration longestDeadline() {
    return Duration.ofHours(maxDeadlineHours);
  }

  /** Attempts that may fail in an engine. */
  int maxFailures() {
    return maxFailures;
  }
}
