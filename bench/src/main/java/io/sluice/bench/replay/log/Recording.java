package io.sluice.bench.replay.log;

import java.util.List;
import java.util.function.Predicate;

/**
 * The requests of a time, in the order of arrival.
 *
 * @param fromMillis where the time begins, in epoch milliseconds; earlier requests are of the
 *     warm-up
 * @param invalid requests that the router refuses whatever its load, which are not among the others
 * @param repeats further records with the id of another request, which are not among the others
 */
public record Recording(List<RecordedRequest> requests, long fromMillis, int invalid, int repeats) {
  public Recording {
    requests = List.copyOf(requests);
  }

  /** Returns whether a request belongs to the time that is compared, and not to the warm-up. */
  public boolean isMeasured(RecordedRequest request) {
    return request.arrivalMillis() >= fromMillis;
  }

  /** Returns the same with only some of the requests. */
  public Recording only(Predicate<RecordedRequest> kept) {
    return new Recording(requests.stream().filter(kept).toList(), fromMillis, invalid, repeats);
  }

  /** Returns the requests of the time that is compared. */
  public List<RecordedRequest> measured() {
    return requests.stream().filter(this::isMeasured).toList();
  }
}
