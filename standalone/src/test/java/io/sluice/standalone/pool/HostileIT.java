package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Topics;
import io.sluice.common.topic.PoolTopics;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/** Malicious or faulty records are rejected, and do not affect other callers. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class HostileIT {
  private static final String LANE = "sluice.requests.2k";
  private static final List<String> TOPICS =
      List.of(LANE, "sluice.requests.128k", Topics.BULK, Topics.CONTROL);
  private static final List<String> CODECS = List.of("none", "gzip", "lz4", "snappy", "zstd");
  private static final int MIB = 1024 * 1024;

  private String kafka;
  private LocalPool pool;
  private PlainClient client;

  @BeforeAll
  void start(Backends backends) throws Exception {
    kafka = backends.kafkaBootstrapServers();
    pool = Pools.start(backends, 3);
    client = new PlainClient(kafka);
  }

  @AfterAll
  void stop() {
    client.close();
    pool.close();
  }

  @Test
  void aHeaderNameOfManyBytesOnEveryPartitionDisturbsNoOtherRequest() throws Exception {
    // When
    for (int partition = 0; partition < PoolPlan.LOCAL_PARTITIONS; partition++) {
      var record = new ProducerRecord<byte[], byte[]>(LANE, partition, null, new byte[2]);
      record.headers().add("\u4e2d".repeat(600_000), new byte[0]);
      send("none", record).get(30, TimeUnit.SECONDS);
    }

    // Then
    assertThatOthersAreAnswered(16);
  }

  @Test
  void whatUnpacksToMoreThanATopicTakesIsRefusedByTheBrokerAndItsSenderIsTold() throws Exception {
    for (String codec : List.of("gzip", "lz4", "zstd")) {
      for (String topic : TOPICS) {
        // Given
        var names = new ProducerRecord<byte[], byte[]>(topic, new byte[2]);
        names.headers().add("\u4e2d".repeat(3_200_000), new byte[0]);
        var body = new ProducerRecord<byte[], byte[]>(topic, new byte[100 * MIB]);

        // Then
        for (var record : List.of(names, body)) {
          assertThatThrownBy(() -> send(codec, record).get(60, TimeUnit.SECONDS))
              .as("%s on %s", codec, topic)
              .hasCauseInstanceOf(RecordTooLargeException.class);
        }
      }
    }
    assertThatOthersAreAnswered(8);
  }

  @Test
  void aTopicThatOthersMadeForCompressedRecordsIsCorrected() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
      // Given
      var control = new ConfigResource(ConfigResource.Type.TOPIC, Topics.CONTROL);
      var compressed = new ConfigEntry("compression.type", "zstd");
      var change = List.of(new AlterConfigOp(compressed, AlterConfigOp.OpType.SET));
      admin.incrementalAlterConfigs(Map.of(control, change)).all().get(30, TimeUnit.SECONDS);
      await().until(() -> settingOf(control, "compression.type", admin), "zstd"::equals);

      // When
      new PoolTopics(Lanes.standard(), PoolPlan.LOCAL_PARTITIONS, (short) 1).create(admin);

      // Then
      await().until(() -> settingOf(control, "compression.type", admin), "uncompressed"::equals);
    }
  }

  @Test
  void aBrokerWhoseClockIsHoursBehindTakesTheRoutersChangelog() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
      var changelog =
          new ConfigResource(ConfigResource.Type.TOPIC, "sluice-router-requests-changelog");

      assertThat(settingOf(changelog, "message.timestamp.after.max.ms", admin))
          .isEqualTo(Long.toString(Long.MAX_VALUE));
    }
  }

  private static String settingOf(ConfigResource topic, String setting, Admin admin)
      throws Exception {
    return admin
        .describeConfigs(List.of(topic))
        .all()
        .get(30, TimeUnit.SECONDS)
        .get(topic)
        .get(setting)
        .value();
  }

  @Test
  void whileHostileRecordsComeOnEveryTopicAllRequestsOfOthersAreAnswered() throws Exception {
    // Given
    Random random = new Random(9);
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    List<String> others = new ArrayList<>();

    // When
    for (int i = 0; i < 400; i++) {
      String codec = CODECS.get(random.nextInt(CODECS.size()));
      sent.add(send(codec, hostile(TOPICS.get(random.nextInt(TOPICS.size())), random)));
      if (i % 10 == 0) {
        String id = UUID.randomUUID().toString();
        client.send(LANE, id, Requests.chat("among them", 5), Map.of("request-id", id));
        others.add(id);
      }
    }

    // Then
    for (String id : others) {
      assertThat(client.read(Topics.REPLIES, id).ok()).as(id).isTrue();
    }
    assertThat(sent).allMatch(Future::isDone);
    assertThatOthersAreAnswered(8);
  }

  /** Requests on every partition, and one in bulk. */
  private void assertThatOthersAreAnswered(int count) throws Exception {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String id = UUID.randomUUID().toString();
      String topic = i == 0 ? Topics.BULK : LANE;
      client.send(topic, id, Requests.chat("as ever", 5), Map.of("request-id", id));
      ids.add(id);
    }
    for (String id : ids) {
      assertThat(client.read(Topics.REPLIES, id).ok()).as(id).isTrue();
    }
  }

  private static ProducerRecord<byte[], byte[]> hostile(String topic, Random random) {
    int partition = random.nextInt(PoolPlan.LOCAL_PARTITIONS);
    byte[] key = random.nextInt(10) == 0 ? bytes(random, 20_000) : null;
    var record = new ProducerRecord<>(topic, partition, key, body(random));
    for (int i = random.nextInt(4); i > 0; i--) {
      String name =
          List.of(
                  "request-id",
                  "reply-to",
                  "reply-partition",
                  "tenant",
                  "deadline",
                  "tier",
                  "",
                  "x")
              .get(random.nextInt(8));
      record.headers().add(name, random.nextInt(5) == 0 ? null : bytes(random, 300));
    }
    if (random.nextInt(20) == 0) {
      for (int i = 0; i < 20_000; i++) {
        record.headers().add("", null);
      }
    }
    if (random.nextInt(20) == 0) {
      record.headers().add("\u4e2d".repeat(random.nextInt(1_500_000)), null);
    }
    return record;
  }

  private static byte[] body(Random random) {
    String chat = new String(Requests.chat("%s", 3), UTF_8).replace("\"n\"", "");
    return switch (random.nextInt(10)) {
      case 0 -> null;
      case 1 -> bytes(random, 5_000);
      case 2 -> new byte[random.nextInt(12 * MIB)];
      case 3 -> ("[" + "{},".repeat(2 * MIB) + "1]").getBytes(UTF_8);
      case 4 -> "[".repeat(random.nextInt(5 * MIB)).getBytes(UTF_8);
      case 5 -> ("{\"n\":" + "9".repeat(random.nextInt(MIB)) + "}").getBytes(UTF_8);
      case 6 ->
          chat.formatted("\uD83D\uDE00".repeat(random.nextInt(2 * MIB)))
              .replace("\"max_tokens\"", "\"best_of\":2,\"max_tokens\"")
              .getBytes(UTF_8);
      case 7 -> chat.formatted("\\ud800 \\u0000").getBytes(UTF_8);
      case 8 ->
          "{\"type\":\"cancel\",\"request_id\":\"%s\"}"
              .formatted("r".repeat(random.nextInt(100_000)))
              .getBytes(UTF_8);
      default -> ("{\"model\":\"\\ud800\",\"messages\":[{\"role\":\"user\"}]}").getBytes(UTF_8);
    };
  }

  private static byte[] bytes(Random random, int most) {
    byte[] bytes = new byte[random.nextInt(most)];
    random.nextBytes(bytes);
    return bytes;
  }

  private Future<RecordMetadata> send(String codec, ProducerRecord<byte[], byte[]> record) {
    Map<String, Object> settings =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            kafka,
            ProducerConfig.COMPRESSION_TYPE_CONFIG,
            codec,
            ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
            128 * MIB,
            ProducerConfig.BUFFER_MEMORY_CONFIG,
            256L * MIB);
    try (var producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      return producer.send(record);
    }
  }
}
