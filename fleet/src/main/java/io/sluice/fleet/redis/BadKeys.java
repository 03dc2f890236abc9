package io.sluice.fleet.redis;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of keys in Redis whose values cannot be read: of each key once in ten minutes, because keys
 * are read several times a second. Thread-safe.
 */
public final class BadKeys {
  private static final Duration SAID_EVERY = Duration.ofMinutes(10);

  /** Beyond this many keys at once, further ones are not named. */
  private static final int MOST = 100;

  private static final Logger log = LoggerFactory.getLogger(BadKeys.class);

  private final LongSupplier nanoClock;
  private final Map<String, Long> saidNanos = new ConcurrentHashMap<>();

  public BadKeys() {
    this(System::nanoTime);
  }

  /**
   * @param nanoClock monotonic nanoseconds
   */
  BadKeys(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /**
   * Parses the text at a key; empty if that fails.
   *
   * @param parser throws {@link IllegalArgumentException} if the text is wrong
   */
  public <T> Optional<T> parse(String key, String text, Function<String, T> parser) {
    try {
      return Optional.of(parser.apply(text));
    } catch (IllegalArgumentException e) {
      var _ = found(key, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  /** A key cannot be read. Returns whether that was logged. */
  public boolean found(String key, String reason) {
    long now = nanoClock.getAsLong();
    saidNanos.values().removeIf(said -> now - said >= SAID_EVERY.toNanos());
    boolean isNews = saidNanos.size() < MOST && saidNanos.putIfAbsent(key, now) == null;
    if (isNews) {
      log.warn(
          "event=redis_key_unreadable key={} effect=\"it is passed over; all others are read\" hint=\"correct or delete the key; workers and routers write theirs again\" reason=\"{}\"",
          key,
          reason.lines().findFirst().orElse(""));
    }
    return isNews;
  }
}
