package io.sluice.bench.fleet;

import java.util.Arrays;
import java.util.Locale;

/** The ways to distribute requests that are compared. */
enum Contestant {
  ROUND_ROBIN,
  RANDOM,
  LEAST_REQUESTS,
  CONSISTENT_HASH,
  WEIGHTED_SCORERS,
  SLUICE,
  /** Sluice with its default {@code max-wait}. */
  SLUICE_PATIENT,
  /** Sluice, told at once of every change of the engines' caches. */
  SLUICE_EXACT;

  /** The name in options, tables and files, such as {@code least-requests}. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Contestant named(String label) {
    return Arrays.stream(values())
        .filter(contestant -> contestant.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown policy '%s'; there are %s"
                        .formatted(
                            label,
                            String.join(
                                ", ", Arrays.stream(values()).map(Contestant::label).toList()))));
  }

  FleetRun.Front front(FleetRun run, long seed) {
    int engines = run.engines().size();
    long own = Mix.of(seed, label().hashCode());
    return switch (this) {
      case ROUND_ROBIN -> new Proxy(run, new Balancers.RoundRobin(engines));
      case RANDOM -> new Proxy(run, new Balancers.AnyOf(engines, own));
      case LEAST_REQUESTS -> new Proxy(run, new Balancers.LeastRequests(engines));
      case CONSISTENT_HASH -> new Proxy(run, new HashRing(engines));
      case WEIGHTED_SCORERS ->
          new Proxy(
              run, new WeightedScorers(engines, run.engines().getFirst().config().kvBlocks(), own));
      case SLUICE -> new SluiceFront(run, own, SluiceFront.WITHIN_TTFT);
      case SLUICE_EXACT -> SluiceFront.withExactPrefixes(run, own, SluiceFront.WITHIN_TTFT);
      case SLUICE_PATIENT -> new SluiceFront(run, own, SluiceFront.DEFAULT_MAX_WAIT);
    };
  }
}
