package io.sluice.bench.replay;

import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.bench.replay.model.ReplayRequests;
import io.sluice.bench.replay.model.Replayed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What happened, what the model makes of it, and what would have happened otherwise.
 *
 * @param whatIf empty if nothing else was asked for
 */
record ReplayComparison(
    Figures recorded, Figures model, Optional<Figures> whatIf, ModelError error) {

  /**
   * Compares runs of the same requests. Only requests count whose end is recorded.
   *
   * @param sloMillis how soon requests want their first token that do not say it
   * @param whatIf none if nothing else was asked for
   */
  static ReplayComparison of(
      ReplayRequests requests, double sloMillis, List<Replayed> model, List<Replayed> whatIf) {
    List<RecordedRequest> recorded = requests.recorded();
    List<Integer> ids = comparable(requests);
    Figures then = Figures.of(ids, recorded, id -> Fact.recorded(recorded.get(id)), sloMillis);
    return new ReplayComparison(
        then,
        mean(ids, recorded, sloMillis, model),
        whatIf.isEmpty() ? Optional.empty() : Optional.of(mean(ids, recorded, sloMillis, whatIf)),
        ModelError.of(ids, recorded, model));
  }

  /** Returns the requests whose end is recorded, by id. */
  static List<Integer> comparable(ReplayRequests requests) {
    return IntStream.range(0, requests.recorded().size())
        .filter(requests::isMeasured)
        .filter(id -> requests.recorded().get(id).happened().isComparable())
        .boxed()
        .toList();
  }

  private static Figures mean(
      List<Integer> ids, List<RecordedRequest> recorded, double sloMillis, List<Replayed> runs) {
    List<Figures> all = new ArrayList<>();
    for (Replayed run : runs) {
      all.add(Figures.of(ids, recorded, id -> Fact.replayed(run, id), sloMillis));
    }
    return Figures.mean(all);
  }
}
