package io.sluice.bench.torture;

import io.sluice.bench.stat.Samples;
import io.sluice.bench.torture.checker.Evidence;
import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.load.ExpectedEnd;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.log.ReplyRecord;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How long interactive requests waited for their first record, by the fault that had begun last
 * when they were sent. It shows whether a fault delays requests that it should not affect. Not
 * thread-safe.
 */
final class FirstRecordDelays {
  private final List<InjectedFault> faults;
  private final Map<String, Samples> millis = new TreeMap<>();

  FirstRecordDelays(List<InjectedFault> faults) {
    this.faults = faults;
  }

  /**
   * Counts a request if it is interactive, part of the planned load and expected to be answered.
   */
  void add(Evidence evidence) {
    PlannedRequest request = evidence.request();
    List<ReplyRecord> lines = evidence.own().lines();
    boolean isOrdinary =
        request.kind().weight() > 0
            && !request.kind().isBulk()
            && ExpectedEnd.of(request.kind()).mayComplete();
    if (isOrdinary && !lines.isEmpty() && evidence.log().seenMillis().isPresent()) {
      long from = evidence.log().seenMillis().getAsLong();
      millis
          .computeIfAbsent(during(from), fault -> new Samples())
          .add((double) (lines.getFirst().seenMillis() - from));
    }
  }

  private String during(long atMillis) {
    return faults.stream()
        .filter(fault -> fault.fromMillis() <= atMillis && atMillis <= fault.untilMillis())
        .max((a, b) -> Long.compare(a.fromMillis(), b.fromMillis()))
        .map(fault -> fault.label())
        .orElse("no fault");
  }

  Map<String, Samples> byFault() {
    return millis;
  }
}
