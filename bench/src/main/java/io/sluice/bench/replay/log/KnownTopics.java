package io.sluice.bench.replay.log;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Topics;
import io.sluice.router.catalog.TopicDirectory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * The topics of a pool.
 *
 * @param counts how many partitions each of them has
 */
record KnownTopics(Map<String, Integer> counts) implements TopicDirectory {
  KnownTopics {
    counts = Map.copyOf(counts);
  }

  /** Returns the lanes, by the names of their topics; empty if there are none. */
  Optional<Lanes> lanes() {
    String names =
        lanesTopics().stream()
            .map(topic -> topic.substring(Topics.REQUESTS_PREFIX.length()))
            .collect(Collectors.joining(","));
    return names.isEmpty() ? Optional.empty() : Optional.of(Lanes.parse(names));
  }

  List<String> lanesTopics() {
    return counts.keySet().stream()
        .filter(topic -> topic.startsWith(Topics.REQUESTS_PREFIX))
        .sorted()
        .toList();
  }

  boolean has(String topic) {
    return counts.containsKey(topic);
  }

  /** A reply topic may have been deleted since, which must not make a request invalid. */
  @Override
  public OptionalInt partitions(String topic) {
    Integer count = counts.get(topic);
    if (count != null) {
      return OptionalInt.of(count);
    }
    return Topics.isReplyTopic(topic) ? OptionalInt.of(Integer.MAX_VALUE) : OptionalInt.empty();
  }
}
