package io.sluice.router.catalog;

import java.util.OptionalInt;

/**
 * The topics that exist, from cached metadata, so calls never wait. Nothing is sent to an unknown
 * topic, because that would block the sender. Thread-safe.
 */
public interface TopicDirectory {

  /** Returns the number of partitions of a topic; empty if it is not known to exist. */
  OptionalInt partitions(String topic);

  /** Returns whether a topic exists and, as far as is known, writes to it currently succeed. */
  default boolean takes(String topic) {
    return partitions(topic).isPresent();
  }
}
