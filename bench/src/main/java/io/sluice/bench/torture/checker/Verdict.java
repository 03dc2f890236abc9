package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.load.HostileCaller;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.log.ReplyLine;
import java.util.ArrayList;
import java.util.List;

/** Gathers the promises that were broken to one request. Not thread-safe. */
final class Verdict {
  private record Broken(String what, boolean isLate) {}

  private final List<Broken> broken = new ArrayList<>();

  /** What holds on any machine. */
  void must(boolean holds, String otherwise) {
    must(holds, otherwise, false);
  }

  /** What a machine that is too slow for its load breaks too. */
  void inTime(boolean holds, String otherwise) {
    must(holds, otherwise, true);
  }

  void must(boolean holds, String otherwise, boolean isOfTime) {
    if (!holds) {
      broken.add(new Broken(otherwise, isOfTime));
    }
  }

  /** All that was broken, with the request's records as evidence. */
  List<Violation> violations(PlannedRequest request, List<ReplyLine> records) {
    List<String> evidence = records.stream().map(ReplyLine::toString).toList();
    return violations(request.id(), request.kind().name(), evidence);
  }

  /** All that was broken where there are no records to show. */
  List<Violation> violations(HostileCaller.Taken hostile) {
    return violations(hostile.place().id(), hostile.record().shape().name(), List.of());
  }

  private List<Violation> violations(String id, String kind, List<String> evidence) {
    return broken.stream()
        .map(each -> new Violation(id, kind, each.what(), each.isLate(), evidence))
        .toList();
  }
}
