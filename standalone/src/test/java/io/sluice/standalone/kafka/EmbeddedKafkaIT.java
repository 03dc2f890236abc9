package io.sluice.standalone.kafka;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.PoolTopics;
import io.sluice.common.protocol.Replication;
import io.sluice.common.protocol.Topics;
import io.sluice.standalone.backend.BackendStartException;
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
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedKafkaIT {
  private static final String TOPIC = "things";

  @Test
  void aStartedNodeServesProducersAndConsumersUpToEightMebibytes() throws Exception {
    // Given
    try (var kafka = EmbeddedKafka.start(EmbeddedKafka.Config.ephemeral())) {
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
    var config = EmbeddedKafka.Config.ephemeral().withDataDirectory(directory.resolve("kafka"));
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
      var config = EmbeddedKafka.Config.ephemeral().withPort(port);

      // When, Then
      assertThatThrownBy(() -> EmbeddedKafka.start(config))
          .isInstanceOf(BackendStartException.class)
          .hasMessageContainingAll("127.0.0.1:" + port, "taken", "choose another port");
    }
  }

  @Test
  void aDirectoryInUseIsOneClearError(@TempDir Path directory) {
    // Given
    var config = EmbeddedKafka.Config.ephemeral().withDataDirectory(directory);
    try (var kafka = EmbeddedKafka.start(config)) {
      assertThat(kafka.port()).isPositive();

      // When, Then
      assertThatThrownBy(() -> EmbeddedKafka.start(config))
          .isInstanceOf(BackendStartException.class)
          .hasMessageContainingAll(directory.toString(), "a running node uses it");
    }
  }

  @Test
  void aDirectoryThatCannotBeMadeIsOneClearError(@TempDir Path directory) throws Exception {
    // Given
    Path file = Files.createFile(directory.resolve("file"));
    var config = EmbeddedKafka.Config.ephemeral().withDataDirectory(file.resolve("kafka"));

    // When, Then
    assertThatThrownBy(() -> EmbeddedKafka.start(config))
        .isInstanceOf(BackendStartException.class)
        .hasMessageContainingAll(file.toString(), "choose a writable directory");
  }

  @Test
  void aTopicIsNotCreatedByUsingIt() throws Exception {
    // Given
    try (var kafka = EmbeddedKafka.start(EmbeddedKafka.Config.ephemeral());
        var admin = admin(kafka)) {
      // When
      assertThatThrownBy(() -> produce(kafka, "lost")).hasMessageContaining(TOPIC);

      // Then
      assertThat(admin.listTopics().names().get(10, SECONDS)).isEmpty();
    }
  }

  @Test
  void aPoolsTopicsHaveAsManyReplicasAsThereAreBrokersUnlessMoreIsAskedFor() throws Exception {
    try (var kafka = EmbeddedKafka.start(EmbeddedKafka.Config.ephemeral());
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
    try (var kafka = EmbeddedKafka.start(EmbeddedKafka.Config.ephemeral());
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
      await().untilAsserted(() -> assertThat(retention(Topics.BULK, admin)).isEqualTo(fourDays));
      assertThat(retention(Topics.OUTCOMES, admin)).isEqualTo(fourDays);
      assertThat(retention(Topics.REPLIES, admin)).isEqualTo("-1");
    }
  }

  private static String retention(String topic, Admin admin) throws Exception {
    var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    return admin
        .describeConfigs(List.of(resource))
        .values()
        .get(resource)
        .get(10, SECONDS)
        .get("retention.ms")
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
