package io.sluice.router.topic;

import io.sluice.common.protocol.Topics;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;

/** Topics with their partition counts, as successive lists of all topics report them. Immutable. */
record KnownTopics(Map<String, Topic> topics) {
  static final KnownTopics NONE = new KnownTopics(Map.of());

  /** A topic that is missing from this many lists in a row is gone. */
  static final int FORGOTTEN_AFTER = 3;

  /** How often the partitions of a service's reply topic are counted again. */
  static final int LISTS_PER_CHECK = 60;

  private static final String SERVICES = Topics.REPLIES + ".";

  /**
   * A topic.
   *
   * @param missing the number of lists in a row from which it was missing
   */
  record Topic(Uuid id, int partitions, int missing) {}

  KnownTopics {
    topics = Map.copyOf(topics);
  }

  OptionalInt partitions(String name) {
    Topic topic = topics.get(name);
    return topic == null ? OptionalInt.empty() : OptionalInt.of(topic.partitions());
  }

  /** Returns the names with this prefix. */
  Set<String> named(String prefix) {
    return topics.keySet().stream()
        .filter(name -> name.startsWith(prefix))
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns the listed topics whose details must be asked for: those that are not known, and once
   * in a while the reply topics of services, which may have been given more partitions.
   *
   * @param list the number of lists before this one
   */
  Set<String> toDescribe(Map<String, Uuid> listed, int list) {
    boolean isCheck = list > 0 && list % LISTS_PER_CHECK == 0;
    return listed.keySet().stream()
        .filter(name -> !topics.containsKey(name) || (isCheck && name.startsWith(SERVICES)))
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns the topics after the next list. A known name with another id belongs to a topic that
   * was deleted and created again, possibly with fewer partitions.
   */
  KnownTopics after(Map<String, Uuid> listed) {
    Map<String, Topic> left = new HashMap<>();
    topics.forEach(
        (name, topic) -> {
          int missing = listed.containsKey(name) ? 0 : topic.missing() + 1;
          boolean isSame = missing > 0 || topic.id().equals(listed.get(name));
          if (isSame && missing < FORGOTTEN_AFTER) {
            left.put(name, new Topic(topic.id(), topic.partitions(), missing));
          }
        });
    return new KnownTopics(left);
  }

  /** Returns the same topics with more. */
  KnownTopics with(Map<String, Topic> others) {
    Map<String, Topic> all = new HashMap<>(topics);
    all.putAll(others);
    return new KnownTopics(all);
  }
}
