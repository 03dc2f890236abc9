package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.load.HostileCaller;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.log.ReplyRecord;
import java.util.ArrayList;
import java.util.List;

/** Collects the violations of one request. Not thread-safe. */
final class Verdict {
  private record Broken(String what, boolean isLate) {}

  private final List<Broken> broken = new ArrayList<>();

  /** A condition that must hold on any machine. */
  void must(boolean holds, String otherwise) {
    must(holds, otherwise, false);
  }

  /** A condition about time, which a machine that is too slow for its load may violate. */
  void inTime(boolean holds, String otherwise) {
    must(holds, otherwise, true);
  }

  void must(boolean holds, String otherwise, boolean isOfTime) {
    if (!holds) {
      broken.add(new Broken(otherwise, isOfTime));
    }
  }

  /** Returns all violations, with the request's records as evidence. */
  List<Violation> violations(PlannedRequest request, List<ReplyRecord> records) {
    List<String> evidence = records.stream().map(ReplyRecord::toString).toList();
    return violations(request.id(), request.kind().name(), evidence);
  }

  /** Returns all violations of a hostile record, which has no reply records to show. */
  List<Violation> violations(HostileCaller.Accepted hostile) {
    return violations(hostile.place().id(), hostile.record().shape().name(), List.of());
  }

  private List<Violation> violations(String id, String kind, List<String> evidence) {
    return broken.stream()
        .map(each -> new Violation(id, kind, each.what(), each.isLate(), evidence))
        .toList();
  }
}
