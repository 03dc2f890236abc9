package io.sluice.fleet;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An operator's order to a worker, valid until the next one.
 *
 * @param isDrain whether to accept no new requests, and to hand over the running ones; otherwise to
 *     accept requests again
 * @param lasting how long a drain lasts; empty until the next order
 * @param within how long running requests may continue; empty for the worker's own grace period
 */
public record WorkerOrder(boolean isDrain, Optional<Duration> lasting, Optional<Duration> within) {
  /** Accept no new requests, and hand over the running ones. */
  public static final WorkerOrder DRAIN = new WorkerOrder(true, Optional.empty(), Optional.empty());

  /** Accept requests again. */
  public static final WorkerOrder RESUME =
      new WorkerOrder(false, Optional.empty(), Optional.empty());

  private static final String RESUMES = "resume";

  /** Workers before this form understand {@code drain} alone. */
  private static final Pattern STORED =
      Pattern.compile("drain(?: until=(\\d{1,15}))?(?: within=(\\d{1,15}))?");

  /**
   * Returns the order as it is stored, at a time.
   *
   * @param nowMillis milliseconds since 1970, by the registry's clock
   */
  String text(long nowMillis) {
    if (!isDrain) {
      return RESUMES;
    }
    return "drain"
        + lasting.map(time -> " until=" + (nowMillis + time.toMillis())).orElse("")
        + within.map(time -> " within=" + time.toMillis()).orElse("");
  }

  /** Parses a stored order. A drain whose time has passed is an order to resume. */
  static Optional<WorkerOrder> parse(String text, long nowMillis) {
    if (text.equals(RESUMES)) {
      return Optional.of(RESUME);
    }
    Matcher matcher = STORED.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    Optional<Duration> lasting =
        Optional.ofNullable(matcher.group(1))
            .map(until -> Duration.ofMillis(Long.parseLong(until) - nowMillis));
    if (lasting.filter(time -> !time.isPositive()).isPresent()) {
      return Optional.of(RESUME);
    }
    Optional<Duration> within =
        Optional.ofNullable(matcher.group(2)).map(Long::parseLong).map(Duration::ofMillis);
    return Optional.of(new WorkerOrder(true, lasting, within));
  }
}
