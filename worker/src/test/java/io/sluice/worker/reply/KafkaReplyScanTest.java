package io.sluice.worker.reply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.worker.clock.Ticker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class KafkaReplyScanTest {
  private static final TopicPartition PARTITION = new TopicPartition("sluice.replies", 4);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final MockConsumer<String, byte[]> consumer = new MockConsumer<>("earliest");
  private final AtomicInteger consumersMade = new AtomicInteger();

  @Test
  void onlyOneRequestsRecordsAreFoldedAndOnlyUpToTheOffset() throws Exception {
    // Given
    begin(10);
    appended(10, "other", 0, "X");
    appended(11, "r", 0, "a");
    appended(12, "r", 1, "b");
    appended(13, "r", 2, "c");

    try (KafkaReplyScan scan = scan();
        ReplyScan.Session session = scan.open(query(OptionalLong.of(10)), PATIENCE)) {
      // When
      session.foldThrough(12, PATIENCE);

      // Then
      assertThat(session.reply().text()).isEqualTo("ab");
      session.foldThrough(13, PATIENCE);
      assertThat(session.reply().text()).isEqualTo("abc");
    }
  }

  @Test
  void theEndIsWhereTheLogEndsNow() throws Exception {
    begin(0);
    appended(0, "r", 0, "a");
    appended(1, "r", 1, "b");
    consumer.updateEndOffsets(Map.of(PARTITION, 2L));

    try (KafkaReplyScan scan = scan();
        ReplyScan.Session session = scan.open(query(OptionalLong.of(0)), PATIENCE)) {
      session.foldToEnd(PATIENCE);

      assertThat(session.reply().fold().tokens()).isEqualTo(2);
    }
  }

  @Test
  void aScanThatDoesNotGetThereIsGivenUpInTime() throws Exception {
    begin(0);
    var nanos = new AtomicLong();
    try (var scan = new KafkaReplyScan(() -> consumer, () -> nanos.addAndGet(1_000_000_000L));
        ReplyScan.Session session = scan.open(query(OptionalLong.of(0)), PATIENCE)) {
      assertThatThrownBy(() -> session.foldThrough(7, PATIENCE))
          .isInstanceOf(ReplyScan.ScanException.class)
          .hasMessageContaining("up to offset 8 within 5000 ms");
    }
  }

  @Test
  void aConsumerIsUsedAgainUnlessItFailed() throws Exception {
    begin(0);
    appended(0, "r", 0, "a");
    try (KafkaReplyScan scan = scan()) {
      for (int i = 0; i < 3; i++) {
        scan.open(query(OptionalLong.of(0)), PATIENCE).close();
      }
      assertThat(consumersMade).hasValue(1);

      ReplyScan.Session session = scan.open(query(OptionalLong.of(0)), PATIENCE);
      consumer.setPollException(new KafkaException("no"));
      assertThatThrownBy(() -> session.foldThrough(3, PATIENCE))
          .isInstanceOf(ReplyScan.ScanException.class)
          .hasMessageContaining("sluice.replies-4");
      session.close();

      assertThat(consumer.closed()).isTrue();
    }
  }

  private KafkaReplyScan scan() {
    return new KafkaReplyScan(
        () -> {
          consumersMade.incrementAndGet();
          return consumer;
        },
        Ticker.system());
  }

  private static ReplyScan.Query query(OptionalLong from) {
    return new ReplyScan.Query(
        new ReplyAddress(PARTITION.topic(), PARTITION.partition()), "r", from, 0);
  }

  private void begin(long offset) {
    consumer.updateBeginningOffsets(Map.of(PARTITION, offset));
  }

  private void appended(long offset, String requestId, int index, String text) {
    var headers = new RecordHeaders();
    new ReplyHeaders(
            requestId,
            ReplyKind.TOKENS,
            1,
            "a",
            ClaimMode.RESUME,
            index,
            1,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false,
            OptionalLong.empty())
        .writeTo(headers);
    byte[] value =
        ("{\"choices\":[{\"delta\":{\"content\":\"" + text + "\"}}]}")
            .getBytes(StandardCharsets.UTF_8);
    consumer.schedulePollTask(
        () ->
            consumer.addRecord(
                new ConsumerRecord<>(
                    PARTITION.topic(),
                    PARTITION.partition(),
                    offset,
                    0L,
                    TimestampType.LOG_APPEND_TIME,
                    0,
                    0,
                    requestId,
                    value,
                    headers,
                    Optional.empty())));
  }
}
