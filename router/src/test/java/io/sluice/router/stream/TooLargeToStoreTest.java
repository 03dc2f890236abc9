package io.sluice.router.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.HeaderText;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProductionExceptionHandler.Response;
import org.apache.kafka.streams.errors.ProductionExceptionHandler.Result;
import org.apache.kafka.streams.errors.internals.DefaultErrorHandlerContext;
import org.apache.kafka.streams.processor.TaskId;
import org.junit.jupiter.api.Test;

class TooLargeToStoreTest {
  private static final TopicPartition CHANGELOG = new TopicPartition("bodies-changelog", 3);
  private static final ProducerRecord<byte[], byte[]> RECORD =
      new ProducerRecord<>(
          CHANGELOG.topic(), CHANGELOG.partition(), "r".getBytes(UTF_8), new byte[2_000_000]);

  private final TooLargeToStore handler = new TooLargeToStore();

  @Test
  void whatATopicIsTooSmallForStopsNoTaskAndIsKnownToOperators() {
    // When
    Response response = handler.handleError(context(), RECORD, new RecordTooLargeException());

    // Then
    assertThat(response.result()).isEqualTo(Result.RESUME);
    ProducerRecord<byte[], byte[]> letter = response.deadLetterQueueRecords().getFirst();
    assertThat(letter.topic()).isEqualTo("sluice.dead-letters");
    assertThat(letter.key()).isEqualTo("r".getBytes(UTF_8));
    assertThat(letter.value()).isEmpty();
    assertThat(header(letter, "error-code")).contains("unprocessed");
    assertThat(header(letter, "error-message"))
        .contains(
            "topic bodies-changelog does not accept records of 2000000 bytes; raise its max.message.bytes");
    assertThat(header(letter, "omitted-bytes")).contains("2000000");
  }

  @Test
  void whatIsNotOfTheRecordsOwnMakingIsNotGivenUp() {
    assertThat(handler.handleError(context(), RECORD, new NotEnoughReplicasException("")).result())
        .isEqualTo(Result.RETRY);
    assertThat(handler.handleError(context(), RECORD, new IllegalStateException()).result())
        .isEqualTo(Result.FAIL);
  }

  private static Optional<String> header(ProducerRecord<byte[], byte[]> letter, String name) {
    return HeaderText.get(letter.headers(), name);
  }

  private static ErrorHandlerContext context() {
    return new DefaultErrorHandlerContext(
        null,
        "sluice.requests.2k",
        3,
        17,
        new RecordHeaders(),
        "scheduler",
        new TaskId(0, 3),
        0,
        new byte[0],
        new byte[0]);
  }
}
