package io.sluice.standalone.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.acl.PoolRole;
import io.sluice.common.protocol.ConsumerGroups;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.topic.PoolTopics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a broker with an authorizer lets each role do: a table of role, topic and operation. */
@TestInstance(Lifecycle.PER_CLASS)
class AclMatrixIT {
  private static final String CHANGELOG = "sluice-router-requests-changelog";
  private static final long BOUND_SECONDS = 20;

  private final Map<String, Admin> admins = new HashMap<>();
  private SecureKafka kafka;

  /** Users are named after their roles, as far as these have no name of their own. */
  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    kafka =
        SecureKafka.start(
            TestCertificates.in(folder),
            List.of("caller", "orders", "gateway", "router", "w1", "operator", "letters", "none"));
    try (Admin admin = kafka.admin(SecureKafka.ADMIN)) {
      PoolTopics topics = new PoolTopics(Lanes.standard(), 1, (short) 1);
      topics.create(admin);
      topics.createWorkerTopic(admin, "w1");
      topics.createWorkerTopic(admin, "w2");
      admin
          .createTopics(
              List.of(
                  new NewTopic("sluice.replies.orders", 1, (short) 1),
                  new NewTopic("sluice.replies.orders2", 1, (short) 1),
                  new NewTopic("sluice.replies.gateway", 1, (short) 1),
                  new NewTopic(CHANGELOG, 1, (short) 1)))
          .all()
          .get(BOUND_SECONDS, TimeUnit.SECONDS);
    }
    kafka.grant("caller", PoolRole.CALLER, Optional.empty());
    kafka.grant("orders", PoolRole.CALLER, Optional.of("orders"));
    kafka.grant("gateway", PoolRole.GATEWAY, Optional.of("gateway"));
    kafka.grant("router", PoolRole.ROUTER, Optional.empty());
    kafka.grant("w1", PoolRole.WORKER, Optional.of("w1"));
    kafka.grant("operator", PoolRole.OPERATOR, Optional.empty());
    kafka.grant("letters", PoolRole.DEAD_LETTER_READER, Optional.empty());
  }

  @AfterAll
  void stop() {
    admins.values().forEach(Admin::close);
    kafka.close();
  }

  /** R: reads, W: writes, D: deletes, -: neither. */
  @ParameterizedTest
  @CsvSource({
    // topic                          caller, orders, gateway, router, w1, operator, letters, none
    "sluice.requests.2k,                   W,  W,  W, RW,  -, RW, -, -",
    "sluice.requests.128k,                 W,  W,  W, RW,  -, RW, -, -",
    "sluice.bulk,                          W,  W,  W,  R,  -, RW, -, -",
    "sluice.control,                       W,  W,  W,  R,  -,  W, -, -",
    "sluice.replies,                       R,  -,  -, RW, RW,  R, -, -",
    "sluice.replies.orders,                -,  R,  -, RW, RW,  R, -, -",
    "sluice.replies.orders2,               -,  -,  -, RW, RW,  R, -, -",
    "sluice.replies.gateway,               -,  -,  R, RW, RW,  R, -, -",
    "sluice.outcomes,                      -,  -,  -,  R,  W,  R, -, -",
    "sluice.worker.w1,                     -,  -,  -, WD,  R,  -, -, -",
    "sluice.worker.w2,                     -,  -,  -, WD,  -,  -, -, -",
    "sluice.dead-letters,                  -,  -,  -,  W,  -, RW, R, -",
    "sluice.decisions,                     -,  -,  -,  W,  -,  R, -, -",
    "sluice.responses,                     -,  -, RW,  -,  -,  -, -, -",
    "sluice.responses.deleted,             -,  -, RW,  -,  -,  -, -, -",
    "sluice.batches,                       -,  -, RW,  -,  -,  -, -, -",
    "sluice-router-requests-changelog,     -,  -,  -, RW,  -,  -, -, -",
  })
  void eachRoleMayDoWhatItMustAndNoMore(
      String topic,
      String caller,
      String orders,
      String gateway,
      String router,
      String worker,
      String operator,
      String letters,
      String none)
      throws Exception {
    assertThat(allowed("caller", topic)).as("caller").isEqualTo(caller);
    assertThat(allowed("orders", topic)).as("orders").isEqualTo(orders);
    assertThat(allowed("gateway", topic)).as("gateway").isEqualTo(gateway);
    assertThat(allowed("router", topic)).as("router").isEqualTo(router);
    assertThat(allowed("w1", topic)).as("worker w1").isEqualTo(worker);
    assertThat(allowed("operator", topic)).as("operator").isEqualTo(operator);
    assertThat(allowed("letters", topic)).as("dead-letter reader").isEqualTo(letters);
    assertThat(allowed("none", topic)).as("user without a role").isEqualTo(none);
  }

  @Test
  void aCallerCanWriteNeitherAnswersNorOutcomes() {
    try (KafkaProducer<byte[], byte[]> producer = producer("orders")) {
      for (String topic : List.of("sluice.replies.orders", "sluice.replies", "sluice.outcomes")) {
        assertThatThrownBy(
                () ->
                    producer
                        .send(new ProducerRecord<>(topic, new byte[0]))
                        .get(BOUND_SECONDS, TimeUnit.SECONDS))
            .as(topic)
            .hasRootCauseInstanceOf(TopicAuthorizationException.class);
      }
    }
  }

  @Test
  void aCallerCannotReadTheAnswersOfOthers() {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer("orders", "none")) {
      consumer.assign(List.of(new TopicPartition("sluice.replies.orders2", 0)));
      consumer.seekToBeginning(consumer.assignment());
      assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(BOUND_SECONDS)))
          .isInstanceOf(TopicAuthorizationException.class);
    }
  }

  @Test
  void noWorkerOrCallerJoinsTheRouters() {
    for (String user : List.of("w1", "orders", "gateway")) {
      try (KafkaConsumer<byte[], byte[]> consumer = consumer(user, ConsumerGroups.ROUTER)) {
        consumer.subscribe(List.of("sluice.replies." + user));
        assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(BOUND_SECONDS)))
            .as(user)
            .isInstanceOfAny(GroupAuthorizationException.class, TopicAuthorizationException.class);
      }
    }
  }

  private String allowed(String user, String topic) throws Exception {
    try {
      Set<AclOperation> operations =
          admins
              .computeIfAbsent(user, kafka::admin)
              .describeTopics(
                  List.of(topic), new DescribeTopicsOptions().includeAuthorizedOperations(true))
              .topicNameValues()
              .get(topic)
              .get(BOUND_SECONDS, TimeUnit.SECONDS)
              .authorizedOperations();
      String shown =
          (operations.contains(AclOperation.READ) ? "R" : "")
              + (operations.contains(AclOperation.WRITE) ? "W" : "")
              + (operations.contains(AclOperation.DELETE) ? "D" : "");
      return shown.isEmpty() ? "-" : shown;
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(TopicAuthorizationException.class);
      return "-";
    }
  }

  private KafkaProducer<byte[], byte[]> producer(String user) {
    return new KafkaProducer<>(
        new HashMap<String, Object>(kafka.properties(user)),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  private KafkaConsumer<byte[], byte[]> consumer(String user, String group) {
    Map<String, Object> properties = new HashMap<>(kafka.properties(user));
    properties.put("group.id", group);
    properties.put("enable.auto.commit", false);
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}
