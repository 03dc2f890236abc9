package io.sluice.standalone.kafka;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Topics;
import io.sluice.common.topic.PoolTopics;
import io.sluice.common.topic.Replication;
import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.backend.LocalPort;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedKafkaIT {
  private static final String TOPIC = "things";

  private static final AlterConfigOp TIMES_OF_SENDERS =
      new AlterConfigOp(
          new ConfigEntry("message.timestamp.type", "CreateTime"), AlterConfigOp.OpType.SET);

  @Test
  void aStartedNodeServesProducersAndConsumersUpToEightMebibytes() throws Exception {
    // Given
    try (var kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()))) {
      createTopic(kafka);
      String large = "x".repeat(7 * 1024 * 1024);

      // When
      produce(kafka, large);

      // Then
      assertThat(consume(kafka, 1)).containsExactly(large);
    }
  }

  @Test
  void topicsAndRecordsSurviveARestartOnTheSameDirectoryWithAnotherPort(@TempDir Path directory)
      throws Exception {
    // Given
    var config = new EmbeddedKafka.Config(0, Optional.of(directory.resolve("kafka")));
    String clusterId;
    try (var kafka = EmbeddedKafka.start(config)) {
      createTopic(kafka);
      produce(kafka, "before");
      clusterId = clusterId(kafka);
    }

    // When
    try (var kafka = EmbeddedKafka.start(config)) {
      produce(kafka, "after");

      // Then
      assertThat(consume(kafka, 2)).containsExactly("before", "after");
      assertThat(clusterId(kafka)).isEqualTo(clusterId);
    }
  }

  @Test
  void aTakenPortIsOneClearError() throws Exception {
    // Given
    try (var occupant = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      int port = occupant.getLocalPort();
      var config = new EmbeddedKafka.Config(port, Optional.empty());

      // When, Then
      assertThatThrownBy(() -> EmbeddedKafka.start(config))
          .isInstanceOf(BackendStartException.class)
          .hasMessageContainingAll("127.0.0.1:" + port, "taken", "choose another port");
    }
  }

  @Test
  void aDirectoryInUseIsOneClearError(@TempDir Path directory) {
    // Given
    var config = new EmbeddedKafka.Config(0, Optional.of(directory));
    try (var kafka = EmbeddedKafka.start(config)) {
      assertThat(kafka.port()).isPositive();

      // When, Then
      assertThatThrownBy(() -> EmbeddedKafka.start(config))
          .isInstanceOf(BackendStartException.class)
          .hasMessageContainingAll(directory.toString(), "a running one uses it");
    }
  }

  @Test
  void aDirectoryThatCannotBeMadeIsOneClearError(@TempDir Path directory) throws Exception {
    // Given
    Path file = Files.createFile(directory.resolve("file"));
    var config = new EmbeddedKafka.Config(0, Optional.of(file.resolve("kafka")));

    // When, Then
    assertThatThrownBy(() -> EmbeddedKafka.start(config))
        .isInstanceOf(BackendStartException.class)
        .hasMessageContainingAll(file.toString(), "choose a writable directory");
  }

  @Test
  void aTopicIsNotCreatedByUsingIt() throws Exception {
    // Given
    try (var kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
        var admin = admin(kafka)) {
      // When
      assertThatThrownBy(() -> produce(kafka, "lost")).hasMessageContaining(TOPIC);

      // Then
      assertThat(admin.listTopics().names().get(10, SECONDS)).isEmpty();
    }
  }

  @Test
  void aPoolsTopicsHaveAsManyReplicasAsThereAreBrokersUnlessMoreIsAskedFor() throws Exception {
    try (var kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
        var admin = admin(kafka)) {
      // When
      short byDefault = Replication.of(Optional.empty(), admin);
      short asAsked = Replication.of(Optional.of((short) 3), admin);

      // Then
      assertThat(byDefault).isEqualTo((short) 1);
      new PoolTopics(Lanes.standard(), 2, byDefault).createWorkerTopic(admin, "w");
      assertThatThrownBy(
              () -> new PoolTopics(Lanes.standard(), 2, asAsked).createWorkerTopic(admin, "v"))
          .hasMessage(
              "cannot create topic sluice.worker.v: there are fewer brokers than requested replicas; unset SLUICE_REPLICATION (--replication), or set it to at most the number of brokers");
    }
  }

  @Test
  void topicsThatKeepRecordsForTooShortAreCorrectedAndOthersLeftAsTheyAre() throws Exception {
    // Given
    try (var kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
        var admin = admin(kafka)) {
      NewTopic bulk = new NewTopic(Topics.BULK, 2, (short) 1);
      bulk.configs(Map.of("retention.ms", "3600000"));
      NewTopic replies = new NewTopic(Topics.REPLIES, 2, (short) 1);
      replies.configs(Map.of("retention.ms", "-1"));
      admin.createTopics(List.of(bulk, replies)).all().get(10, SECONDS);

      // When
      new PoolTopics(Lanes.standard(), 2, (short) 1, Duration.ofDays(3)).create(admin);

      // Then
      String fourDays = Long.toString(Duration.ofDays(4).toMillis());
      // The broker answers from its own metadata, which follows the controller's.
      await()
          .untilAsserted(
              () -> assertThat(config(Topics.BULK, "retention.ms", admin)).isEqualTo(fourDays));
      assertThat(config(Topics.OUTCOMES, "retention.ms", admin)).isEqualTo(fourDays);
      assertThat(config(Topics.REPLIES, "retention.ms", admin)).isEqualTo("-1");
      String halfADay = Long.toString(Duration.ofHours(12).toMillis());
      assertThat(config(Topics.BULK, "segment.ms", admin)).isEqualTo(halfADay);
      assertThat(config(Topics.OUTCOMES, "segment.ms", admin)).isEqualTo(halfADay);
    }
  }

  /** The time is that of the records, so that the test need not wait for hours. */
  @Test
  void recordsGoOnceTheirTimeIsOverThoughTheirTopicIsInUse() throws Exception {
    // Given
    var often =
        new ClusterMember(
            1,
            Uuid.randomUuid().toString(),
            Map.of(1, LocalPort.settle(0, "Kafka's controller")),
            Map.of(
                "log.initial.task.delay.ms",
                "100",
                "log.retention.check.interval.ms",
                "100",
                "log.cleaner.backoff.ms",
                "100"));
    try (var kafka =
            EmbeddedKafka.start(
                new EmbeddedKafka.Config(
                    0, Optional.empty(), Optional.of(often), Optional.empty()));
        var admin = admin(kafka)) {
      NewTopic existing = new NewTopic(Topics.worker("old"), 1, (short) 1);
      existing.configs(Map.of("retention.ms", "3600000"));
      admin.createTopics(List.of(existing)).all().get(10, SECONDS);
      var topics = new PoolTopics(Lanes.standard(), 1, (short) 1, Duration.ofHours(1));
      topics.create(admin);
      topics.createWorkerTopic(admin, "old");

      // When
      long now = System.currentTimeMillis();
      Map<String, Duration> kept =
          Map.of(
              Topics.worker("old"),
              Duration.ofHours(1),
              Topics.DECISIONS,
              Duration.ofHours(1),
              Topics.REPLIES,
              Duration.ofHours(25),
              Topics.BATCHES,
              Duration.ofDays(31));
      for (var topic : kept.entrySet()) {
        Duration tooOld = topic.getValue().multipliedBy(5).dividedBy(4);
        admin
            .incrementalAlterConfigs(Map.of(resource(topic.getKey()), List.of(TIMES_OF_SENDERS)))
            .all()
            .get(10, SECONDS);
        await()
            .until(
                () -> config(topic.getKey(), "message.timestamp.type", admin).equals("CreateTime"));
        send(kafka, topic.getKey(), now - tooOld.toMillis());
      }

      // Then
      for (String topic : kept.keySet()) {
        await(topic)
            .until(
                () -> {
                  send(kafka, topic, now);
                  return first(topic, admin) > 0;
                });
      }
    }
  }

  private static long first(String topic, Admin admin) throws Exception {
    var partition = new TopicPartition(topic, 0);
    return admin
        .listOffsets(Map.of(partition, OffsetSpec.earliest()))
        .partitionResult(partition)
        .get(10, SECONDS)
        .offset();
  }

  private static void send(EmbeddedKafka kafka, String topic, long atMillis) throws Exception {
    Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
    try (var producer =
        new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
      producer.send(new ProducerRecord<>(topic, 0, atMillis, "key", "value")).get(10, SECONDS);
    }
  }

  private static ConfigResource resource(String topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic);
  }

  private static String config(String topic, String name, Admin admin) throws Exception {
    return admin
        .describeConfigs(List.of(resource(topic)))
        .values()
        .get(resource(topic))
        .get(10, SECONDS)
        .get(name)
        .value();
  }

  private static Admin admin(EmbeddedKafka kafka) {
    return Admin.create(Map.<String, Object>of("bootstrap.servers", kafka.bootstrapServers()));
  }

  private static void createTopic(EmbeddedKafka kafka) throws Exception {
    try (var admin = admin(kafka)) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get(10, SECONDS);
    }
  }

  private static String clusterId(EmbeddedKafka kafka) throws Exception {
    try (var admin = admin(kafka)) {
      return admin.describeCluster().clusterId().get(10, SECONDS);
    }
  }

  private static void produce(EmbeddedKafka kafka, String value) throws Exception {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            kafka.bootstrapServers(),
            "max.request.size",
            8 * 1024 * 1024,
            "max.block.ms",
            2_000);
    try (var producer =
        new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
      producer.send(new ProducerRecord<>(TOPIC, value)).get(10, SECONDS);
    }
  }

  private static List<String> consume(EmbeddedKafka kafka, int count) {
    Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
    var values = new ArrayList<String>();
    try (var consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
      var partition = new TopicPartition(TOPIC, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long deadlineNanos = System.nanoTime() + SECONDS.toNanos(10);
      while (values.size() < count && System.nanoTime() < deadlineNanos) {
        consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
      }
    }
    return values;
  }
}
