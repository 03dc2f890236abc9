package io.sluice.router.bulk;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A place that no bulk leaves or enters for a while. */
sealed interface RestingPlace {

  /** A partition of the bulk topic. */
  record Source(int partition) implements RestingPlace {
    @Override
    public boolean isWithin(Set<Integer> partitions) {
      return partitions.contains(partition);
    }

    @Override
    public String toString() {
      return "bulk-" + partition;
    }
  }

  /** A lane with all its partitions. */
  record Lane(String lane) implements RestingPlace {
    @Override
    public boolean isWithin(Set<Integer> partitions) {
      return true;
    }

    @Override
    public String toString() {
      return lane;
    }
  }

  /** A partition of a lane. */
  record Target(int partition, String lane) implements RestingPlace {
    @Override
    public boolean isWithin(Set<Integer> partitions) {
      return partitions.contains(partition);
    }

    @Override
    public String toString() {
      return lane + "-" + partition;
    }
  }

  /** Returns whether requests of these partitions use it. */
  boolean isWithin(Set<Integer> partitions);

  /** For the log. */
  @Override
  String toString();

  /** Returns the partition of the bulk topic in which a request is. */
  static RestingPlace sourceOf(ParkedRequest request) {
    return new Source(request.partition());
  }

  /** Returns the partition of a lane that a request is to enter. */
  static RestingPlace targetOf(ParkedRequest request) {
    return new Target(request.partition(), request.line().kind().lane());
  }

  /** Returns the lane that a request is to enter, with all its partitions. */
  static RestingPlace laneOf(ParkedRequest request) {
    return new Lane(request.line().kind().lane());
  }

  /** Returns the first of these places that holds up a request. */
  static Optional<RestingPlace> firstOf(Set<RestingPlace> places, ParkedRequest request) {
    return Stream.of(sourceOf(request), laneOf(request), targetOf(request))
        .filter(places::contains)
        .findFirst();
  }

  /** The same as a question, faster, for it is asked of a million requests. */
  static boolean isAnyOf(Set<RestingPlace> places, ParkedRequest request) {
    return places.contains(sourceOf(request))
        || places.contains(targetOf(request))
        || places.contains(laneOf(request));
  }
}
