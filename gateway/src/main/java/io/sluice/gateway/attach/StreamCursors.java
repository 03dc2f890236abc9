package io.sluice.gateway.attach;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * Makes the cursors of live responses: the number of the present interval of 20 s. Clients send the
 * last one back, so that no cache returns the same empty response for ever. Thread-safe if the
 * random generator is.
 */
final class StreamCursors {
  private static final Instant EPOCH = Instant.parse("2024-10-09T00:00:00Z");
  private static final Duration INTERVAL = Duration.ofSeconds(20);
  private static final Duration MOST_JITTER = Duration.ofHours(1);
  private static final Pattern CURSOR = Pattern.compile("\\d{1,15}");

  private final Clock clock;
  private final RandomGenerator random;

  StreamCursors(Clock clock, RandomGenerator random) {
    this.clock = clock;
    this.random = random;
  }

  /** Returns whether a text has the form of a cursor. */
  static boolean isCursor(String text) {
    return CURSOR.matcher(text).matches();
  }

  /** Returns a cursor that is greater than the one that the client has, if it has one. */
  String after(Optional<String> cursor) {
    long now = Duration.between(EPOCH, clock.instant()).dividedBy(INTERVAL);
    long seen = cursor.map(Long::parseLong).orElse(-1L);
    if (seen < now) {
      return Long.toString(now);
    }
    return Long.toString(seen + 1 + random.nextLong(MOST_JITTER.dividedBy(INTERVAL)));
  }
}
