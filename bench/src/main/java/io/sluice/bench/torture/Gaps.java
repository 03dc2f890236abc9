package io.sluice.bench.torture;

import io.sluice.bench.stat.Samples;
import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.log.Reading;
import io.sluice.bench.torture.pool.Target;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Pauses of resumed streams by what caused them. Not thread-safe. */
final class Gaps {
  /** What is read at a blow's beginning was written a little before. */
  private static final long EARLY_MILLIS = 300;

  private final List<InjectedFault> blows;
  private final Map<String, Samples> millis = new TreeMap<>();

  Gaps(List<InjectedFault> blows) {
    this.blows = blows;
  }

  /** Counts a pause, for the latest blow against its worker that could have caused it. */
  void add(Reading.Gap gap) {
    millis.computeIfAbsent(causeOf(gap), cause -> new Samples()).add((double) gap.millis());
  }

  private String causeOf(Reading.Gap gap) {
    long from = gap.before().seenMillis();
    long until = gap.after().seenMillis();
    List<InjectedFault> during =
        blows.stream()
            .filter(blow -> blow.fromMillis() <= until && blow.untilMillis() >= from - EARLY_MILLIS)
            .toList();
    List<String> own = new ArrayList<>();
    List<String> others = new ArrayList<>();
    during.stream()
        .sorted(Comparator.comparingLong(InjectedFault::fromMillis))
        .forEach(
            blow -> {
              if (isAgainst(blow, gap.before().worker())) {
                own.add(blow.label());
              } else if (blow.targets().stream().anyMatch(Gaps::isShared)) {
                others.add(blow.label());
              }
            });
    if (own.isEmpty()) {
      return others.isEmpty() ? "other" : "other, during " + others.getLast();
    }
    return own.getLast() + (others.isEmpty() ? "" : ", while others are disturbed");
  }

  private static boolean isAgainst(InjectedFault blow, String worker) {
    return blow.targets().stream()
        .anyMatch(
            target -> !isShared(target) && worker.equals(Target.worker(target.number()).id()));
  }

  private static boolean isShared(Target target) {
    return switch (target.role()) {
      case BROKER, REDIS, ROUTER -> true;
      case WORKER, ENGINE -> false;
    };
  }

  Map<String, Samples> byCause() {
    return millis;
  }
}
