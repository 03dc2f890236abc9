package io.sluice.router.schedule;

import java.util.LinkedHashSet;

/** Cancels that overtook their requests; the newest ten thousand are kept. Not thread-safe. */
final class EarlyCancels {
  private static final int MOST = 10_000;

  private final LinkedHashSet<String> requestIds = new LinkedHashSet<>();

  void add(String requestId) {
    requestIds.add(requestId);
    if (requestIds.size() > MOST) {
      requestIds.removeFirst();
    }
  }

  /** Whether the request was cancelled before it came; the cancel is used up. */
  boolean take(String requestId) {
    return requestIds.remove(requestId);
  }
}
