package io.sluice.bench.torture;

import io.sluice.bench.stat.Samples;
import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.log.IndependentFold;
import io.sluice.bench.torture.pool.Target;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The pauses of resumed streams by cause. Not thread-safe. */
final class ResumePauses {
  /** A record that is read when a fault begins was written a little earlier. */
  private static final long EARLY_MILLIS = 300;

  private final List<InjectedFault> faults;
  private final Map<String, Samples> millis = new TreeMap<>();

  ResumePauses(List<InjectedFault> faults) {
    this.faults = faults;
  }

  /** Counts a pause under the latest fault of its worker that could have caused it. */
  void add(IndependentFold.Pause gap) {
    millis.computeIfAbsent(causeOf(gap), cause -> new Samples()).add((double) gap.millis());
  }

  private String causeOf(IndependentFold.Pause gap) {
    long from = gap.before().seenMillis();
    long until = gap.after().seenMillis();
    List<InjectedFault> during =
        faults.stream()
            .filter(
                fault -> fault.fromMillis() <= until && fault.untilMillis() >= from - EARLY_MILLIS)
            .toList();
    List<String> own = new ArrayList<>();
    List<String> others = new ArrayList<>();
    during.stream()
        .sorted(Comparator.comparingLong(InjectedFault::fromMillis))
        .forEach(
            fault -> {
              if (isAgainst(fault, gap.before().worker())) {
                own.add(fault.label());
              } else if (fault.targets().stream().anyMatch(ResumePauses::isShared)) {
                others.add(fault.label());
              }
            });
    if (own.isEmpty()) {
      return others.isEmpty() ? "other" : "other, during " + others.getLast();
    }
    return own.getLast() + (others.isEmpty() ? "" : ", while others are disrupted");
  }

  private static boolean isAgainst(InjectedFault fault, String worker) {
    return fault.targets().stream()
        .anyMatch(
            target -> isOfWorker(target) && worker.equals(Target.worker(target.number()).id()));
  }

  private static boolean isOfWorker(Target target) {
    return target.role() == Target.Role.WORKER || target.role() == Target.Role.ENGINE;
  }

  /** Returns whether answers go through it. A gateway only reads them. */
  private static boolean isShared(Target target) {
    return switch (target.role()) {
      case BROKER, REDIS, ROUTER -> true;
      case WORKER, ENGINE, GATEWAY -> false;
    };
  }

  Map<String, Samples> byCause() {
    return millis;
  }
}
