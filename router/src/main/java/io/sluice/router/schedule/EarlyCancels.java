package io.sluice.router.schedule;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Cancels that overtook their requests, or are none of this partition's: a sender that does not
 * know the partition asks all of them. Each is kept until the time it carries, for an hour if it
 * carries none and for a day at most, as long as it is among the newest ten thousand. In memory
 * alone: a task that moves forgets them. Not thread-safe.
 */
final class EarlyCancels {
  static final int MOST = 10_000;
  static final Duration KEPT = Duration.ofHours(1);
  static final Duration LONGEST_KEPT = Duration.ofHours(24);

  private final Map<String, Long> untilMillisById = new LinkedHashMap<>();

  void add(String requestId, OptionalLong keepUntilMillis, Now now) {
    long until =
        Math.min(
            keepUntilMillis.orElse(now.epochMillis() + KEPT.toMillis()),
            now.epochMillis() + LONGEST_KEPT.toMillis());
    untilMillisById.remove(requestId);
    untilMillisById.put(requestId, until);
    if (untilMillisById.size() > MOST) {
      dropOldest();
    }
    dropExpiredAtHead(now);
  }

  /** Whether the request was cancelled before it came; the cancel is used up. */
  boolean take(String requestId, Now now) {
    Long until = untilMillisById.remove(requestId);
    return until != null && now.epochMillis() <= until;
  }

  int size() {
    return untilMillisById.size();
  }

  private void dropOldest() {
    Iterator<String> oldest = untilMillisById.keySet().iterator();
    oldest.next();
    oldest.remove();
  }

  /** Those behind one that is kept longer wait for it; their number is bounded all the same. */
  private void dropExpiredAtHead(Now now) {
    Iterator<Long> oldest = untilMillisById.values().iterator();
    while (oldest.hasNext() && oldest.next() < now.epochMillis()) {
      oldest.remove();
    }
  }
}
