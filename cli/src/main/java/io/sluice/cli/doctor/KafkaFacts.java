package io.sluice.cli.doctor;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What Kafka says of itself and of the pool's topics.
 *
 * @param brokers their addresses
 * @param topics the pool's topics by name
 * @param disks the log directories of the brokers that tell their size
 * @param routers members of the routers' consumer group
 * @param unread requests that no router has read yet
 * @param ahead how far the clock of the broker that answered is ahead; empty if it did not answer
 * @param isOpen whether every client may do everything; empty if this client may not know
 */
record KafkaFacts(
    List<String> brokers,
    Map<String, Topic> topics,
    List<Disk> disks,
    int routers,
    long unread,
    Optional<Duration> ahead,
    Optional<Boolean> isOpen) {

  /**
   * A topic.
   *
   * @param replicas of the partition that has the fewest
   * @param offline partitions without a leader
   * @param belowMinimum partitions with fewer replicas in sync than writes need
   * @param outOfSync partitions of which a replica is behind
   * @param configs the topic's settings
   */
  record Topic(
      int partitions,
      int replicas,
      int offline,
      int belowMinimum,
      int outOfSync,
      Map<String, String> configs) {}

  /** A log directory of a broker; sizes in bytes. */
  record Disk(String place, long usableBytes, long totalBytes) {}
}
