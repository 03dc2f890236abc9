package io.sluice.producer.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.RoutingDecision;
import io.sluice.common.protocol.Topics;
import io.sluice.common.protocol.UnservedRequest;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class DecisionLogTest {
  private static final ClientConfig CONFIG = ClientConfig.at("127.0.0.1:9092");
  private static final int PARTITIONS = 4;
  private final LogFromTheStart consumer = new LogFromTheStart();

  /** A log that contains only records younger than the request. */
  private static final class LogFromTheStart extends MockConsumer<String, byte[]> {
    LogFromTheStart() {
      super("none");
    }

    @Override
    public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
        Map<TopicPartition, Long> times, Duration bound) {
      return times.keySet().stream()
          .collect(
              Collectors.toMap(partition -> partition, partition -> new OffsetAndTimestamp(0, 1)));
    }
  }

  @Test
  void allAttemptsOfTheRequestAreReadAndNothingElse() {
    // Given
    String id = "r-1";
    holds(
        id,
        "{\"request_id\":\"r-1\",\"attempt\":1,\"chosen\":\"a\"}",
        "not json",
        "{\"request_id\":\"r-1\",\"attempt\":2,\"chosen\":\"b\"}");

    // When
    List<RoutingDecision> decisions = DecisionLog.read(consumer, id, CONFIG).decisions();

    // Then
    assertThat(decisions).extracting(RoutingDecision::chosen).containsExactly("a", "b");
  }

  @Test
  void aRequestWithoutADecisionHasNone() {
    // Given
    holds("other");

    // Then
    assertThat(DecisionLog.read(consumer, "other", CONFIG))
        .isEqualTo(new DecisionLog.Story(List.of(), Optional.empty()));
  }

  @Test
  void aRequestIsHeldFromTheFirstWordOfItUntilAWorkerGetsIt() {
    // Given two routers one after the other, and an extended deadline
    String first =
        "{\"request_id\":\"r\",\"held\":\"m\",\"since_epoch_millis\":5,\"until_epoch_millis\":90}";
    String second =
        "{\"request_id\":\"r\",\"held\":\"m\",\"since_epoch_millis\":20,\"until_epoch_millis\":99}";
    holds("r", first, second);

    // When
    UnservedRequest unserved = DecisionLog.read(consumer, "r", CONFIG).unserved().orElseThrow();

    // Then
    assertThat(unserved.sinceEpochMillis()).isEqualTo(5);
    assertThat(unserved.untilEpochMillis()).isEqualTo(99);
  }

  @Test
  void aRequestThatWasSentIsHeldNoMore() {
    // Given
    holds(
        "r",
        "{\"request_id\":\"r\",\"held\":\"m\",\"since_epoch_millis\":5}",
        "{\"request_id\":\"r\",\"attempt\":1,\"chosen\":\"a\"}");

    // When
    DecisionLog.Story story = DecisionLog.read(consumer, "r", CONFIG);

    // Then
    assertThat(story.decisions()).hasSize(1);
    assertThat(story.unserved()).isEmpty();
  }

  @Test
  void aKafkaWithoutThePoolsTopicsIsAClearError() {
    // Given
    consumer.updatePartitions(Topics.DECISIONS, List.of());

    // Then
    assertThatThrownBy(() -> DecisionLog.read(consumer, "r", CONFIG))
        .isInstanceOf(ClientException.class)
        .hasMessageContaining("no pool has been started there");
  }

  private void holds(String id, String... values) {
    TopicPartition partition = new TopicPartition(Topics.DECISIONS, Partitions.of(id, PARTITIONS));
    List<PartitionInfo> infos = new ArrayList<>();
    Node broker = new Node(0, "127.0.0.1", 9092);
    for (int number = 0; number < PARTITIONS; number++) {
      infos.add(
          new PartitionInfo(
              Topics.DECISIONS, number, broker, new Node[] {broker}, new Node[] {broker}));
    }
    consumer.updatePartitions(Topics.DECISIONS, infos);
    consumer.updateBeginningOffsets(Map.of(partition, 0L));
    consumer.updateEndOffsets(Map.of(partition, (long) values.length + 1));
    consumer.schedulePollTask(
        () -> {
          consumer.addRecord(
              new ConsumerRecord<>(
                  Topics.DECISIONS,
                  partition.partition(),
                  0,
                  "somebody-else",
                  "{\"request_id\":\"x\",\"chosen\":\"c\"}".getBytes(UTF_8)));
          for (int offset = 0; offset < values.length; offset++) {
            consumer.addRecord(
                new ConsumerRecord<>(
                    Topics.DECISIONS,
                    partition.partition(),
                    offset + 1L,
                    id,
                    values[offset].getBytes(UTF_8)));
          }
        });
  }
}
