package io.sluice.router.bulk;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.common.errors.RetriableException;

/**
 * A request on its way.
 *
 * @param place rests until there is an answer, and for a while if the answer is a failure
 * @param answer completes when the request is in its lane, or need not be; fails if it could not be
 *     put there
 */
record Entering(RestingPlace place, Future<?> answer) {

  /** Returns whether the place is the reason that it failed, rather than the request. */
  boolean isPlaceAway() {
    return answer.state() == Future.State.FAILED
        && answer.exceptionNow() instanceof RetriableException;
  }

  /** Returns one that could not leave or enter a place. */
  static Entering failed(RestingPlace place, Exception failure) {
    return new Entering(place, CompletableFuture.failedFuture(failure));
  }
}
