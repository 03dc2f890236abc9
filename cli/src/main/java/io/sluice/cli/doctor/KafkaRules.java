package io.sluice.cli.doctor;

import io.sluice.cli.Counted;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.topic.PoolTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;

/** What a pool needs of Kafka. */
final class KafkaRules {
  private static final String CREATED_BY_ROUTERS =
      "start a router: it creates them; or use a Kafka user that may see them";

  /** Deadlines are times of the brokers. */
  private static final Duration SKEW = Duration.ofSeconds(2);

  private static final double SHORT_OF_DISK = 0.2;
  private static final double OUT_OF_DISK = 0.05;

  private KafkaRules() {}

  /**
   * Judges Kafka.
   *
   * @param lanes the lanes of the pool's routers
   */
  static List<Finding> findings(KafkaFacts kafka, Lanes lanes) {
    List<Finding> findings = new ArrayList<>();
    findings.add(brokers(kafka));
    findings.addAll(topics(kafka, lanes));
    findings.addAll(partitions(kafka));
    findings.add(routers(kafka));
    kafka.disks().forEach(disk -> findings.add(disk(disk)));
    kafka.ahead().ifPresent(ahead -> findings.add(Clocks.finding("Kafka's clock", ahead, SKEW)));
    kafka.isOpen().ifPresent(isOpen -> findings.add(access(isOpen)));
    return findings;
  }

  private static Finding brokers(KafkaFacts kafka) {
    String state =
        "%d of them: %s".formatted(kafka.brokers().size(), String.join(", ", kafka.brokers()));
    return kafka.brokers().size() < 3
        ? Finding.warning(
            "brokers",
            state,
            "use at least three in production: a single one is lost with its data")
        : Finding.ok("brokers", state);
  }

  private static List<Finding> topics(KafkaFacts kafka, Lanes lanes) {
    List<NewTopic> needed = new PoolTopics(lanes, 1, (short) 1).shared();
    List<String> missing =
        needed.stream()
            .map(NewTopic::name)
            .filter(name -> !kafka.topics().containsKey(name))
            .toList();
    List<Finding> findings = new ArrayList<>();
    if (!missing.isEmpty()) {
      findings.add(
          Finding.failure("topics", "missing: " + String.join(", ", missing), CREATED_BY_ROUTERS));
    }
    TreeMap<Integer, List<String>> byPartitions = new TreeMap<>();
    for (NewTopic topic : needed) {
      KafkaFacts.Topic found = kafka.topics().get(topic.name());
      if (found != null) {
        byPartitions
            .computeIfAbsent(found.partitions(), any -> new ArrayList<>())
            .add(topic.name());
        findings.addAll(configs(topic, found));
      }
    }
    if (byPartitions.size() > 1) {
      findings.add(
          Finding.failure(
              "topics",
              "they have different numbers of partitions: " + byPartitions,
              "restore the original partition count; it cannot be changed"));
    }
    if (findings.isEmpty()) {
      findings.add(
          Finding.ok(
              "topics",
              "all %d, of %s"
                  .formatted(needed.size(), Counted.of(byPartitions.firstKey(), "partition"))));
    }
    return findings;
  }

  private static List<Finding> configs(NewTopic needed, KafkaFacts.Topic found) {
    List<Finding> findings = new ArrayList<>();
    String name = needed.name();
    for (String key :
        List.of(
            TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
            TopicConfig.COMPRESSION_TYPE_CONFIG,
            TopicConfig.CLEANUP_POLICY_CONFIG)) {
      String expected = needed.configs().getOrDefault(key, TopicConfig.CLEANUP_POLICY_DELETE);
      String actual = found.configs().getOrDefault(key, expected);
      if (!actual.equals(expected)) {
        findings.add(
            Finding.failure(
                "topic " + name,
                "%s is %s".formatted(key, actual),
                "set it to %s with kafka-configs.sh".formatted(expected)));
      }
    }
    findings.addAll(shorter(needed, found, TopicConfig.MAX_MESSAGE_BYTES_CONFIG));
    findings.addAll(shorter(needed, found, TopicConfig.RETENTION_MS_CONFIG));
    return findings;
  }

  /** A retention of -1 keeps records for ever. */
  private static List<Finding> shorter(NewTopic needed, KafkaFacts.Topic found, String key) {
    long expected = Long.parseLong(needed.configs().get(key));
    long actual = Long.parseLong(found.configs().getOrDefault(key, Long.toString(expected)));
    return actual < 0 || actual >= expected
        ? List.of()
        : List.of(
            Finding.warning(
                "topic " + needed.name(),
                "%s is %d".formatted(key, actual),
                "set it to at least %d with kafka-configs.sh".formatted(expected)));
  }

  private static List<Finding> partitions(KafkaFacts kafka) {
    List<Finding> findings = new ArrayList<>();
    kafka
        .topics()
        .forEach(
            (name, topic) -> {
              String part = "topic " + name;
              if (topic.offline() > 0) {
                findings.add(
                    Finding.failure(
                        part,
                        "%d of %s without a leader"
                            .formatted(
                                topic.offline(), Counted.of(topic.partitions(), "partition")),
                        "start the brokers that have their replicas"));
              } else if (topic.belowMinimum() > 0) {
                findings.add(
                    Finding.failure(
                        part,
                        "%d of %s closed to writes: too few replicas are in sync"
                            .formatted(
                                topic.belowMinimum(), Counted.of(topic.partitions(), "partition")),
                        "start the brokers that have the other replicas"));
              } else if (topic.outOfSync() > 0) {
                findings.add(
                    Finding.warning(
                        part,
                        "%d of %s with a replica that is behind"
                            .formatted(
                                topic.outOfSync(), Counted.of(topic.partitions(), "partition")),
                        "check the brokers that have them"));
              }
              if (topic.replicas() < Math.min(3, kafka.brokers().size())) {
                findings.add(
                    Finding.warning(
                        part,
                        "%s on %s"
                            .formatted(
                                Counted.of(topic.replicas(), "replica"),
                                Counted.of(kafka.brokers().size(), "broker")),
                        "add replicas with kafka-reassign-partitions.sh"));
              }
            });
    return findings;
  }

  private static Finding routers(KafkaFacts kafka) {
    String state =
        "%s reading requests, %d unread"
            .formatted(Counted.of(kafka.routers(), "thread"), kafka.unread());
    return kafka.routers() == 0
        ? Finding.failure(
            "routers in Kafka", state, "start a router, or read the log of those that run")
        : Finding.ok("routers in Kafka", state);
  }

  private static Finding disk(KafkaFacts.Disk disk) {
    double free = (double) disk.usableBytes() / disk.totalBytes();
    String part = "disk of " + disk.place();
    String state = String.format(Locale.ROOT, "%.0f %% free", free * 100);
    String advice = "add space, or shorten the retention; see sizing in docs/operations.md";
    if (free < OUT_OF_DISK) {
      return Finding.failure(part, state, advice);
    }
    return free < SHORT_OF_DISK ? Finding.warning(part, state, advice) : Finding.ok(part, state);
  }

  private static Finding access(boolean isOpen) {
    return isOpen
        ? Finding.warning(
            "access to Kafka",
            "every client may read and write every topic",
            "give the brokers an authorizer and each service a user of its own")
        : Finding.ok("access to Kafka", "limited by ACLs");
  }
}
