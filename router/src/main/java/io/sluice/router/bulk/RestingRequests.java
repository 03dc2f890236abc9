package io.sluice.router.bulk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Parked requests that are held up because a place rests. Not thread-safe. */
final class RestingRequests {
  private final Map<RestingPlace, List<ParkedRequest>> places = new HashMap<>();

  /** Keeps a request if a place rests that holds it up. Returns whether it is kept. */
  boolean keep(ParkedRequest request) {
    if (places.isEmpty()) {
      return false;
    }
    var place = RestingPlace.firstOf(places.keySet(), request);
    place.ifPresent(rests -> Objects.requireNonNull(places.get(rests)).add(request));
    return place.isPresent();
  }

  /** All other places rest no longer. Returns what was kept for them. */
  List<ParkedRequest> endAllBut(Set<RestingPlace> resting) {
    List<ParkedRequest> freed = new ArrayList<>();
    Set<RestingPlace> over = new HashSet<>(places.keySet());
    over.removeAll(resting);
    over.forEach(place -> freed.addAll(Objects.requireNonNull(places.remove(place))));
    return freed;
  }

  /** These places rest from now on. Returns those that did not. */
  Set<RestingPlace> begin(Set<RestingPlace> resting) {
    Set<RestingPlace> begun = new HashSet<>(resting);
    begun.removeAll(places.keySet());
    begun.forEach(place -> places.put(place, new ArrayList<>()));
    return begun;
  }

  /** Removes and returns all such requests. */
  List<ParkedRequest> remove(Predicate<ParkedRequest> which) {
    List<ParkedRequest> removed = all().filter(which).toList();
    places.values().forEach(kept -> kept.removeIf(which));
    return removed;
  }

  Stream<ParkedRequest> all() {
    return places.values().stream().flatMap(List::stream);
  }
}
