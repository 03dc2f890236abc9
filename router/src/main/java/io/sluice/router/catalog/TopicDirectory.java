package io.sluice.router.catalog;

import java.util.OptionalInt;

/**
 * Which topics exist, from cached metadata: it never waits. Nothing is sent to a topic that it does
 * not know, for that would block the sender. Thread-safe.
 */
public interface TopicDirectory {

  /** How many partitions a topic has; empty if it is not known to exist. */
  OptionalInt partitions(String topic);

  /** Whether a topic exists, and what is sent there now gets through, as far as that is known. */
  default boolean takes(String topic) {
    return partitions(topic).isPresent();
  }
}
