package io.sluice.router.bulk;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A place that no bulk leaves or enters for a while: a partition of the bulk topic, a lane, or a
 * partition of a lane.
 *
 * @param partition {@link #ANY_PARTITION} for a whole lane
 * @param lane {@link #ANY_LANE} for a partition of the bulk topic
 */
record RestingPlace(int partition, String lane) {
  private static final int ANY_PARTITION = -1;
  private static final String ANY_LANE = "";

  /** The partition of the bulk topic in which a request is. */
  static RestingPlace sourceOf(ParkedRequest request) {
    return new RestingPlace(request.partition(), ANY_LANE);
  }

  /** The partition of a lane that a request is to enter. */
  static RestingPlace targetOf(ParkedRequest request) {
    return new RestingPlace(request.partition(), request.line().kind().lane());
  }

  /** The lane that a request is to enter, with all its partitions. */
  static RestingPlace laneOf(ParkedRequest request) {
    return new RestingPlace(ANY_PARTITION, request.line().kind().lane());
  }

  /** The first of these places that holds up a request. */
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

  /** Whether it is in one partition only. */
  boolean isInOnePartition() {
    return partition != ANY_PARTITION;
  }

  /** For the log. */
  @Override
  public String toString() {
    String where = lane.equals(ANY_LANE) ? "bulk" : lane;
    return isInOnePartition() ? where + "-" + partition : where;
  }
}
