package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.cli.doctor.Finding.Grade;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Topics;
import io.sluice.common.topic.PoolTopics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;

class KafkaRulesTest {
  private static final Lanes LANES = Lanes.standard();

  private final Map<String, KafkaFacts.Topic> topics = new HashMap<>();
  private List<String> brokers = List.of("a:9092", "b:9092", "c:9092");
  private List<KafkaFacts.Disk> disks = List.of(new KafkaFacts.Disk("broker 1, /data", 50, 100));
  private int routers = 4;
  private Duration ahead = Duration.ofMillis(20);
  private boolean isOpen;

  KafkaRulesTest() {
    for (NewTopic topic : new PoolTopics(LANES, 48, (short) 3).shared()) {
      topics.put(topic.name(), new KafkaFacts.Topic(48, 3, 0, 0, 0, topic.configs()));
    }
  }

  @Test
  void aPoolAsItShouldBeIsOk() {
    assertThat(found()).extracting(Finding::grade).containsOnly(Grade.OK);
    assertThat(found()).extracting(Finding::advice).containsOnly("");
  }

  @Test
  void missingTopicsAreNamed() {
    topics.remove(Topics.REPLIES);
    topics.remove(Topics.OUTCOMES);

    assertThat(bad())
        .containsExactly(
            Finding.failure(
                "topics",
                "missing: sluice.outcomes, sluice.replies",
                "start a router: it creates them; or use a Kafka user that may see them"));
  }

  @Test
  void topicsThatHaveAnotherNumberOfPartitionsFail() {
    topics.put(Topics.REPLIES, with(Topics.REPLIES, 24, 3, 0, 0, 0));

    assertThat(bad()).extracting(Finding::grade).containsExactly(Grade.FAILURE);
    assertThat(bad().getFirst().state()).contains("24=[sluice.replies]");
  }

  @Test
  void settingsThatLoseRecordsOrOrderAreTold() {
    Map<String, String> configs = new HashMap<>(topics.get(Topics.REPLIES).configs());
    configs.put("message.timestamp.type", "CreateTime");
    configs.put("retention.ms", "1000");
    configs.put("cleanup.policy", "compact");
    topics.put(Topics.REPLIES, new KafkaFacts.Topic(48, 3, 0, 0, 0, configs));

    assertThat(bad())
        .extracting(Finding::grade, Finding::state)
        .containsExactly(
            tuple(Grade.FAILURE, "message.timestamp.type is CreateTime"),
            tuple(Grade.FAILURE, "cleanup.policy is compact"),
            tuple(Grade.WARNING, "retention.ms is 1000"));
  }

  @Test
  void recordsKeptForEverAreFine() {
    Map<String, String> configs = new HashMap<>(topics.get(Topics.REPLIES).configs());
    configs.put("retention.ms", "-1");
    topics.put(Topics.REPLIES, new KafkaFacts.Topic(48, 3, 0, 0, 0, configs));

    assertThat(bad()).isEmpty();
  }

  @Test
  void partitionsWithoutLeadersOrReplicasAreTold() {
    topics.put(Topics.REPLIES, with(Topics.REPLIES, 48, 3, 2, 2, 2));
    assertThat(bad().getFirst().state()).isEqualTo("2 of 48 partitions without a leader");

    topics.put(Topics.REPLIES, with(Topics.REPLIES, 48, 3, 0, 2, 2));
    assertThat(bad().getFirst().state()).contains("closed to writes");

    topics.put(Topics.REPLIES, with(Topics.REPLIES, 48, 3, 0, 0, 2));
    assertThat(bad()).extracting(Finding::grade).containsExactly(Grade.WARNING);

    topics.put(Topics.REPLIES, with(Topics.REPLIES, 48, 1, 0, 0, 0));
    assertThat(bad().getFirst().state()).isEqualTo("1 replica on 3 brokers");
  }

  @Test
  void aSingleBrokerAndAnOpenOneAreWarnings() {
    brokers = List.of("a:9092");
    isOpen = true;

    assertThat(bad()).extracting(Finding::grade).containsExactly(Grade.WARNING, Grade.WARNING);
  }

  @Test
  void fullDisksWrongClocksAndMissingRoutersAreTold() {
    disks =
        List.of(
            new KafkaFacts.Disk("broker 1, /data", 10, 100),
            new KafkaFacts.Disk("broker 2, /data", 1, 100));
    ahead = Duration.ofSeconds(-90);
    routers = 0;

    assertThat(bad())
        .extracting(Finding::part, Finding::grade)
        .containsExactlyInAnyOrder(
            tuple("disk of broker 1, /data", Grade.WARNING),
            tuple("disk of broker 2, /data", Grade.FAILURE),
            tuple("Kafka's clock", Grade.WARNING),
            tuple("routers in Kafka", Grade.FAILURE));
    assertThat(bad()).extracting(Finding::state).contains("90.0 s behind this machine's");
  }

  private KafkaFacts.Topic with(
      String name, int partitions, int replicas, int offline, int belowMinimum, int outOfSync) {
    return new KafkaFacts.Topic(
        partitions, replicas, offline, belowMinimum, outOfSync, topics.get(name).configs());
  }

  private List<Finding> bad() {
    return found().stream().filter(finding -> finding.grade() != Grade.OK).toList();
  }

  private List<Finding> found() {
    return KafkaRules.findings(
        new KafkaFacts(brokers, topics, disks, routers, 0, Optional.of(ahead), Optional.of(isOpen)),
        LANES);
  }
}
