package io.sluice.router.trace;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.PastAttempt;
import io.sluice.common.trace.AttributeNames;
import io.sluice.common.trace.Attributes;
import io.sluice.router.request.History;
import io.sluice.router.request.TrackedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is known about one attempt when its request ends.
 *
 * @param startMillis when the router sent the assignment, epoch milliseconds; empty if not known
 * @param endMillis when the router learned that it was over, epoch milliseconds
 * @param outcome how it ended, such as {@code completed} or {@code lost}
 * @param errorType empty if it did not fail
 * @param tokens output tokens in the log by then; -1 if not known
 * @param isLast whether the request ended with it
 */
record AttemptFacts(
    int number,
    String worker,
    String lease,
    OptionalLong startMillis,
    long endMillis,
    String outcome,
    String errorType,
    int tokens,
    boolean isLast) {

  /** Returns the attempts of a request that ends now, the earliest first. */
  static List<AttemptFacts> of(TrackedRequest tracked, long endMillis, String errorType) {
    History history = tracked.history();
    Optional<LeaseRef> active = tracked.state().activeLease();
    List<AttemptFacts> attempts = new ArrayList<>();
    for (PastAttempt past : history.past()) {
      boolean isLast = active.filter(lease -> lease.lease().equals(past.lease())).isPresent();
      attempts.add(of(past, isLast));
    }
    if (active.isPresent() && attempts.stream().noneMatch(AttemptFacts::isLast)) {
      attempts.add(of(active.get(), history.leasedAtMillis(), endMillis, errorType));
    }
    return attempts;
  }

  private static AttemptFacts of(PastAttempt past, boolean isLast) {
    String reason = past.end().reason().name().toLowerCase(Locale.ROOT);
    boolean isFailure =
        switch (past.end().reason()) {
          case FAILED, LOST, DIED, EXPIRED -> true;
          case RETURNED, SUPERSEDED -> false;
        };
    String code = past.end().code().isEmpty() ? reason : past.end().code();
    long start = past.startEpochMillis();
    return new AttemptFacts(
        past.attempt(),
        past.worker(),
        past.lease(),
        start > 0 ? OptionalLong.of(start) : OptionalLong.empty(),
        past.endEpochMillis(),
        reason,
        isFailure ? code : "",
        past.tokens(),
        isLast);
  }

  private static AttemptFacts of(
      LeaseRef active, OptionalLong startMillis, long endMillis, String errorType) {
    return new AttemptFacts(
        active.attempt(),
        active.worker(),
        active.lease(),
        startMillis,
        endMillis,
        errorType.isEmpty() ? "completed" : "revoked",
        errorType,
        -1,
        true);
  }

  Attributes attributes() {
    Attributes attributes =
        new Attributes()
            .put(AttributeNames.ATTEMPT, number)
            .put(AttributeNames.WORKER, worker)
            .put(AttributeNames.LEASE, lease)
            .put(AttributeNames.OUTCOME, outcome);
    return tokens < 0 ? attributes : attributes.put(AttributeNames.TOKENS, tokens);
  }
}
