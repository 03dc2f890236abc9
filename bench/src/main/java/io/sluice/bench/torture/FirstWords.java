package io.sluice.bench.torture;

import io.sluice.bench.stat.Samples;
import io.sluice.bench.torture.checker.Evidence;
import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.load.Ending;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.log.ReplyLine;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How long interactive requests waited for their first record, by the blow that had begun last when
 * they came: what is done to some is not to be felt by others. Not thread-safe.
 */
final class FirstWords {
  private final List<InjectedFault> blows;
  private final Map<String, Samples> millis = new TreeMap<>();

  FirstWords(List<InjectedFault> blows) {
    this.blows = blows;
  }

  /** Counts a request that only its kind's own end may keep from an answer. */
  void add(Evidence evidence) {
    PlannedRequest request = evidence.request();
    List<ReplyLine> lines = evidence.own().lines();
    boolean isOrdinary =
        request.kind().weight() > 0
            && !request.kind().isBulk()
            && Ending.of(request.kind()).mayComplete();
    if (isOrdinary && !lines.isEmpty() && evidence.log().seenMillis().isPresent()) {
      long from = evidence.log().seenMillis().getAsLong();
      millis
          .computeIfAbsent(during(from), blow -> new Samples())
          .add((double) (lines.getFirst().seenMillis() - from));
    }
  }

  private String during(long atMillis) {
    return blows.stream()
        .filter(blow -> blow.fromMillis() <= atMillis && atMillis <= blow.untilMillis())
        .max((a, b) -> Long.compare(a.fromMillis(), b.fromMillis()))
        .map(blow -> blow.label())
        .orElse("nothing");
  }

  Map<String, Samples> byBlow() {
    return millis;
  }
}
