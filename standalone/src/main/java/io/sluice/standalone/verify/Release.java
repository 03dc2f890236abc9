package io.sluice.standalone.verify;

import io.sluice.standalone.verify.pool.Finding;
import java.time.Duration;
import java.util.List;

/**
 * How soon an engine freed some streams.
 *
 * @param took how long the engine still had it, of each that it had at all
 * @param kept how many it had for longer than anybody waited
 * @param kvUsage the highest KV cache usage seen while it had one, 0 to 1; 0 if it tells none
 * @param delays of the measurement itself
 */
record Release(Cause cause, List<Duration> took, int kept, double kvUsage, Delays delays) {
  /**
   * What the pool promises. It is held against the median, because a single pause of a busy machine
   * says nothing about the pool.
   */
  private static final Duration PROMISED = Duration.ofSeconds(1);

  /** Why an engine is to free a stream. */
  enum Cause {
    CANCELLED("a cancelled stream"),
    EXPIRED("a stream past its deadline");

    private final String shown;

    Cause(String shown) {
      this.shown = shown;
    }
  }

  /**
   * What may make a release seem later than it is.
   *
   * @param slowestLook the longest time that one read of the engine's metrics took
   * @param latestAppend the longest time until Kafka had a request: its deadline counts from then
   */
  record Delays(Duration slowestLook, Duration latestAppend) {
    static final Delays NONE = new Delays(Duration.ZERO, Duration.ZERO);

    Delays withLook(Duration look) {
      return new Delays(longer(slowestLook, look), latestAppend);
    }

    Delays withAppend(Duration append) {
      return new Delays(slowestLook, longer(latestAppend, append));
    }

    private static Duration longer(Duration one, Duration other) {
      return one.compareTo(other) > 0 ? one : other;
    }
  }

  Release {
    took = took.stream().sorted().toList();
  }

  /** Returns whether the pool kept its promise, and what was seen. */
  Finding finding() {
    String promised = PROMISED.toMillis() + " ms";
    if (kept > 0) {
      return Finding.broken("%s; expected it to be freed within %s".formatted(this, promised));
    }
    if (!took.isEmpty() && median().compareTo(PROMISED) > 0) {
      return Finding.broken("%s; expected %s at most in the median".formatted(this, promised));
    }
    return Finding.kept(toString());
  }

  private Duration median() {
    return took.get(took.size() / 2);
  }

  @Override
  public String toString() {
    if (took.isEmpty()) {
      return "the engine had %s: %s".formatted(cause.shown, kept > 0 ? "for ever" : "never");
    }
    return ("the engine had %s for another %d ms (%d to %d, %d times)%s; up to %.1f%% of its KV"
            + " cache were freed with them; reading its metrics took up to %d ms, sending a request"
            + " up to %d ms")
        .formatted(
            cause.shown,
            median().toMillis(),
            took.getFirst().toMillis(),
            took.getLast().toMillis(),
            took.size(),
            kept > 0 ? ", and " + kept + " times for ever" : "",
            kvUsage * 100,
            delays.slowestLook().toMillis(),
            delays.latestAppend().toMillis());
  }
}
