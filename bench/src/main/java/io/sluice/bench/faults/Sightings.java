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

/** All that was seen of one engine under one fault. Not thread-safe. */
final class Sightings {
  private final Map<Aspect, List<Sighting>> byAspect = new EnumMap<>(Aspect.class);

  void add(Aspect aspect, Sighting seen) {
    byAspect.computeIfAbsent(aspect, any -> new ArrayList<>()).add(seen);
  }

  private List<Sighting> of(Aspect aspect) {
    return byAspect.getOrDefault(aspect, List.of());
  }

  /** The different things that were seen. */
  Set<String> kinds(Aspect aspect) {
    return of(aspect).stream().map(Sighting::what).collect(Collectors.toCollection(TreeSet::new));
  }

  /** How often each was seen, and how soon at the median. */
  String shown(Aspect aspect) {
    Map<String, List<Duration>> kinds = new TreeMap<>();
    of(aspect)
        .forEach(
            seen -> kinds.computeIfAbsent(seen.what(), any -> new ArrayList<>()).add(seen.after()));
    return kinds.entrySet().stream()
        .map(kind -> kind.getValue().size() + " " + kind.getKey() + after(kind.getValue()))
        .collect(Collectors.joining("; "));
  }

  private static String after(List<Duration> times) {
    Duration median = times.stream().sorted().toList().get(times.size() / 2);
    return median.isZero() ? "" : " after " + median.toMillis() + " ms";
  }
}
