package io.sluice.common.dependency;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks one dependency, and logs its loss and its return. Thread-safe. */
final class WatchedDependency {
  /** Two of these and two ticks of the watch are less than 5 s. */
  static final Duration ANSWER_WITHIN = Duration.ofMillis(1_500);

  private static final Logger log = LoggerFactory.getLogger(WatchedDependency.class);

  private enum Phase {
    NOT_HEARD_OF,
    UP,
    LOST
  }

  private final String service;
  private final Dependency dependency;
  private final LongSupplier nanoTime;
  private Phase phase = Phase.NOT_HEARD_OF;
  private boolean wasUp;
  private int failures;
  private String reason = "it was not asked yet";
  private long lastUpNanos;

  /** Numbers the questions: the answer to an earlier one comes too late. */
  private long question;

  private boolean isAsking;
  private long askedNanos;

  /**
   * A dependency that was not asked yet.
   *
   * @param service which service needs it; for the log
   * @param nanoTime monotonic nanoseconds
   */
  WatchedDependency(String service, Dependency dependency, LongSupplier nanoTime) {
    this.service = service;
    this.dependency = dependency;
    this.nanoTime = nanoTime;
    this.lastUpNanos = nanoTime.getAsLong();
  }

  String name() {
    return dependency.name();
  }

  synchronized DependencyState state() {
    boolean isUp = phase == Phase.UP;
    return new DependencyState(
        isUp, wasUp, isUp ? "up" : "away for %s: %s".formatted(awayFor(), reason));
  }

  /** Asks, unless an earlier question may still be answered. */
  synchronized void tick() {
    if (isAsking) {
      if (nanoTime.getAsLong() - askedNanos < ANSWER_WITHIN.toNanos()) {
        return;
      }
      failed("no answer within %d ms".formatted(ANSWER_WITHIN.toMillis()));
    }
    ask();
  }

  /** Ends the watch: an answer that is still on its way changes nothing. */
  synchronized void stop() {
    question++;
  }

  private void ask() {
    isAsking = true;
    askedNanos = nanoTime.getAsLong();
    long asked = ++question;
    try {
      CompletionStage<?> answer = dependency.probe().ask();
      answer.whenComplete((_, failure) -> answered(asked, failure));
    } catch (RuntimeException e) {
      answered(asked, e);
    }
  }

  private synchronized void answered(long asked, @Nullable Throwable failure) {
    if (asked != question) {
      return;
    }
    isAsking = false;
    if (failure == null) {
      succeeded();
    } else {
      failed(Reasons.of(failure));
    }
  }

  private void succeeded() {
    if (phase == Phase.LOST) {
      log.info(
          "event=dependency_back service={} dependency={} address={} away_for=\"{}\"",
          service,
          dependency.name(),
          dependency.address(),
          awayFor());
    }
    phase = Phase.UP;
    wasUp = true;
    failures = 0;
    lastUpNanos = nanoTime.getAsLong();
  }

  private void failed(String why) {
    reason = why;
    failures++;
    if (failures < dependency.lostAfter() || phase == Phase.LOST) {
      return;
    }
    phase = Phase.LOST;
    log.warn(
        "event=dependency_lost service={} dependency={} address={} reason=\"{}\" effect=\"{}\" hint=\"{}\"",
        service,
        dependency.name(),
        dependency.address(),
        why,
        dependency.effect(),
        dependency.advice());
  }

  private String awayFor() {
    long millis = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - lastUpNanos);
    return "%d.%d s".formatted(millis / 1_000, millis % 1_000 / 100);
  }
}
