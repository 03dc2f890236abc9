package io.sluice.bench.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** All observations of one engine under one fault. Not thread-safe. */
final class Sightings {
  /** Times that differ by no more than this are alike. */
  private static final Duration ALIKE_WITHIN = Duration.ofSeconds(1);

  /** So are times of which neither is more than this many times the other. */
  private static final int ALIKE_FACTOR = 2;

  private final Map<Aspect, List<Sighting>> byAspect = new EnumMap<>(Aspect.class);

  void add(Aspect aspect, Sighting seen) {
    byAspect.computeIfAbsent(aspect, any -> new ArrayList<>()).add(seen);
  }

  private List<Sighting> of(Aspect aspect) {
    return byAspect.getOrDefault(aspect, List.of());
  }

  /** Returns the distinct observations. */
  Set<String> kinds(Aspect aspect) {
    return of(aspect).stream().map(Sighting::what).collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns how often each observation was made, and the median of its times. */
  String shown(Aspect aspect) {
    Map<String, List<Duration>> kinds = new TreeMap<>();
    of(aspect)
        .forEach(
            seen -> kinds.computeIfAbsent(seen.what(), any -> new ArrayList<>()).add(seen.after()));
    return kinds.entrySet().stream()
        .map(kind -> kind.getValue().size() + " " + kind.getKey() + after(kind.getValue()))
        .collect(Collectors.joining("; "));
  }

  /**
   * Returns which of the different things that both have seen came much sooner or later here: the
   * medians are more than a second and a factor of 2 apart.
   */
  Set<String> atOtherTimes(Aspect aspect, Sightings other) {
    Set<String> both = kinds(aspect);
    both.retainAll(other.kinds(aspect));
    both.removeIf(what -> isAlike(median(aspect, what), other.median(aspect, what)));
    return both;
  }

  static boolean isAlike(Duration one, Duration other) {
    Duration less = one.compareTo(other) < 0 ? one : other;
    Duration more = one.compareTo(other) < 0 ? other : one;
    return more.minus(less).compareTo(ALIKE_WITHIN) <= 0
        || more.compareTo(less.multipliedBy(ALIKE_FACTOR)) <= 0;
  }

  private Duration median(Aspect aspect, String what) {
    return median(
        of(aspect).stream().filter(seen -> seen.what().equals(what)).map(Sighting::after).toList());
  }

  private static Duration median(List<Duration> times) {
    return times.stream().sorted().toList().get(times.size() / 2);
  }

  private static String after(List<Duration> times) {
    Duration median = median(times);
    return median.isZero() ? "" : " after " + median.toMillis() + " ms";
  }
}
