package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.cli.doctor.DoctorCommand;
import io.sluice.common.protocol.ConsumerGroups;
import io.sluice.common.protocol.Lane;
import io.sluice.common.protocol.Topics;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.kafka.EmbeddedKafka;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code doctor} examines a pool while its engine dies, and a Kafka that no router reads. */
class DoctorIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A port that nobody may use. */
  private static final String NO_REDIS = "redis://127.0.0.1:1";

  private record Report(int code, String text) {}

  @Test
  void aPoolThatWorksHasNoFailuresAndADeadEngineIsOne() throws Exception {
    try (SimulatedEngine engine =
            SimulatedEngine.start(
                SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL)));
        LocalPool pool =
            LocalPool.start(
                PoolPlan.over(Ports.free(), List.of(engine.uri()), Optional.empty())
                    .withWarmEngines())) {
      // When
      Report healthy = examine(pool);

      // Then
      assertThat(healthy.code()).as(healthy.text()).isZero();
      assertThat(healthy.text())
          .contains("ok       topics: all ")
          .contains("ok       Kafka's clock: ")
          .contains("ok       Redis: version ")
          .containsPattern("ok       routers in Kafka: [1-9]")
          .containsPattern("ok       disk of broker \\d")
          .containsPattern("ok       worker \\S+: " + PoolPlan.MODEL)
          .contains("warning  access to Kafka: ");

      // When
      engine.close();

      // Then
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(examine(pool).text()).contains("its engine does not answer"));
      assertThat(examine(pool).code()).isEqualTo(1);
    }
  }

  @Test
  void requestsThatNoRouterHasReadAreCounted() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(new EmbeddedKafka.Config(0, Optional.empty()));
        Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
        PlainClient client = new PlainClient(kafka.bootstrapServers())) {
      // Given requests of which no group has read any
      String lane = Topics.requests(Lane.parse("2k"));
      admin
          .createTopics(
              List.of(new NewTopic(lane, 2, (short) 1), new NewTopic(Topics.BULK, 1, (short) 1)))
          .all()
          .get();
      for (int i = 0; i < 3; i++) {
        client.send(lane, "r" + i, new byte[0], Map.of());
        client.send(Topics.BULK, "b" + i, new byte[0], Map.of());
      }

      // Then
      assertThat(examine(kafka.bootstrapServers(), NO_REDIS).text()).contains(" 6 unread");

      // When two of the bulk requests are read
      admin
          .alterConsumerGroupOffsets(
              ConsumerGroups.BULK_FEEDER,
              Map.of(new TopicPartition(Topics.BULK, 0), new OffsetAndMetadata(2)))
          .all()
          .get();

      // Then
      assertThat(examine(kafka.bootstrapServers(), NO_REDIS).text()).contains(" 4 unread");
    }
  }

  private static Report examine(LocalPool pool) {
    return examine(pool.kafka(), pool.redis());
  }

  private static Report examine(String kafka, String redis) {
    var out = new StringWriter();
    int code =
        new CommandLine(new DoctorCommand())
            .setOut(new PrintWriter(out, true))
            .execute("--kafka", kafka, "--redis", redis);
    return new Report(code, out.toString());
  }
}
