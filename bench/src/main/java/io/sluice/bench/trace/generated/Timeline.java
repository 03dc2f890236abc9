package io.sluice.bench.trace.generated;

import io.sluice.bench.trace.TraceRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Collects the requests of sessions. Sessions start before the trace does, so that it begins in the
 * middle of some. Not thread-safe.
 */
final class Timeline {
  /** The assumed time to the first token of an answer. */
  static final int FIRST_TOKEN_MILLIS = 500;

  /** The assumed time per token of an answer. */
  static final int TOKEN_MILLIS = 25;

  private static final Duration LENGTH = Duration.ofMinutes(30);
  private static final Duration BEFORE = Duration.ofMinutes(20);

  private final Draws draws;
  private final List<TraceRequest> requests = new ArrayList<>();
  private long contents;

  Timeline(Draws draws) {
    this.draws = draws;
  }

  /** Returns the requests of a trace in the order of arrival. */
  List<TraceRequest> of(Traffic traffic) {
    long start = -BEFORE.toNanos();
    while (start < LENGTH.toNanos()) {
      traffic.session(start, draws, this);
      start += draws.exponentialNanos(1 / traffic.startsPerSecond());
    }
    requests.sort(Comparator.comparingLong(TraceRequest::arrivalNanos));
    return requests;
  }

  /** Returns the number of a content, or of a session, that no other has. */
  long newContent() {
    return ++contents;
  }

  /**
   * Adds a request, unless it arrives outside the trace.
   *
   * @param session what a caller can name as the session, at least 1
   * @return when the answer is assumed to be complete
   */
  long add(long arrivalNanos, Text prompt, int outputTokens, long session) {
    if (arrivalNanos >= 0 && arrivalNanos < LENGTH.toNanos()) {
      requests.add(
          new TraceRequest(arrivalNanos, prompt.tokens(), outputTokens, prompt.blocks(), session));
    }
    return arrivalNanos + (FIRST_TOKEN_MILLIS + (long) TOKEN_MILLIS * outputTokens) * 1_000_000;
  }
}
