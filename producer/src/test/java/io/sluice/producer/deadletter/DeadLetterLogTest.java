package io.sluice.producer.deadletter;

import static io.sluice.producer.deadletter.MockDeadLetterTopic.START;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.kafka.BoundedRead;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class DeadLetterLogTest {
  private final MockDeadLetterTopic topic = new MockDeadLetterTopic();

  @Test
  void aDeadLetterIsReadWithItsErrorItsRequestAndItsHistory() {
    // Given
    topic.deadLetter("r", "tenant", "acme", "priority", "bulk", "x-own", "kept");

    // When
    DeadLetter deadLetter = topic.list(DeadLetterFilter.all()).getFirst();

    // Then
    assertThat(deadLetter.requestId()).isEqualTo("r");
    assertThat(deadLetter.epochMillis()).isEqualTo(START);
    assertThat(deadLetter.code()).isEqualTo("engine_error");
    assertThat(deadLetter.model()).isEqualTo("m");
    assertThat(deadLetter.tenant()).isEqualTo("acme");
    assertThat(deadLetter.priority()).isEqualTo(Priority.BULK);
    assertThat(deadLetter.source()).isEqualTo("sluice.requests.8k-1-17");
    assertThat(deadLetter.history())
        .isEqualTo(AttemptHistory.parse(MockDeadLetterTopic.HISTORY).get());
    assertThat(deadLetter.headers())
        .containsEntry("x-own", "kept")
        .doesNotContainKeys("error-code", "history", "model", "append-time");
    assertThat(deadLetter.bodyBytes()).isEqualTo(10);
    assertThat(deadLetter.redrivenAs()).isEmpty();
  }

  @Test
  void deadLettersOfAllPartitionsComeInTheOrderOfTheirTimes() {
    // Given
    for (int i = 0; i < 3_000; i++) {
      topic.deadLetter("r" + i);
    }

    // Then
    assertThat(topic.list(DeadLetterFilter.all()))
        .hasSize(3_000)
        .isSortedAccordingTo((a, b) -> Long.compare(a.epochMillis(), b.epochMillis()));
  }

  @Test
  void onlyWhatIsMeantIsListed() {
    // Given
    topic.deadLetter("a", "tenant", "acme");
    topic.deadLetter("b", "error-code", "deadline_exceeded");
    topic.deadLetter("c", "model", "other");

    // Then
    assertThat(ids(filter("code", "deadline_exceeded"))).containsExactly("b");
    assertThat(ids(filter("tenant", "acme"))).containsExactly("a");
    assertThat(ids(filter("model", "other"))).containsExactly("c");
    assertThat(ids(filter("code", "none"))).isEmpty();
    assertThat(ids(DeadLetterFilter.of("b"))).containsExactly("b");
    DeadLetterFilter lately =
        new DeadLetterFilter(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(Instant.ofEpochMilli(START + 1)));
    assertThat(ids(lately)).containsExactly("b", "c");
  }

  @Test
  void aDeadLetterThatWasWrittenTwiceIsOne() {
    // Given
    topic.deadLetter("r");
    topic.deadLetter("r");

    // Then
    assertThat(ids(DeadLetterFilter.all())).containsExactly("r");
  }

  @Test
  void aDeadLetterWhoseRequestSaysThatItWasRedrivenIsStillListed() {
    // Given
    topic.deadLetter("r", "redriven-as", "x");
    topic.deadLetterHolding("empty", "", "redriven-as", "x");

    // When
    List<DeadLetter> deadLetters = topic.list(DeadLetterFilter.all());

    // Then
    assertThat(deadLetters).extracting(DeadLetter::requestId).containsExactly("r", "empty");
    assertThat(deadLetters).allMatch(deadLetter -> deadLetter.redrivenAs().isEmpty());
    assertThat(deadLetters)
        .noneMatch(deadLetter -> deadLetter.headers().containsKey("redriven-as"));
  }

  @Test
  void aRecordThatIsNotARequestIsListedByItsPlace() {
    // Given
    topic.deadLetter("r");
    topic.unprocessed("sluice.outcomes-2-7", "sluice.outcomes", 2, 7);
    topic.unprocessed("sluice.outcomes-2-7", "sluice.outcomes", 2, 7);
    topic.unprocessed("sluice.control-2-9", "sluice.control", 2, 9);

    // Then
    assertThat(ids(DeadLetterFilter.all()))
        .containsExactly("r", "sluice.outcomes-2-7", "sluice.control-2-9");
    assertThat(ids(DeadLetterFilter.of("r"))).containsExactly("r");
    DeadLetter found = topic.list(DeadLetterFilter.of("sluice.outcomes-2-7")).getFirst();
    assertThat(found.code()).isEqualTo("unprocessed");
    assertThat(found.message()).isEqualTo("java.lang.ArithmeticException: long overflow");
    assertThat(topic.list(DeadLetterFilter.of("r")).getFirst().redrivenAs()).isEmpty();
  }

  @Test
  void aRecordOfUnknownMakeIsListedByWhereItStands() {
    // Given
    topic.deadLetterHolding("r", "body", "error-code", "");

    // Then
    assertThat(ids(filter("code", "unprocessed")))
        .singleElement()
        .asString()
        .matches("sluice\\.dead-letters-[0-3]-0");
  }

  @Test
  void anEmptyTopicHasNoDeadLetters() {
    assertThat(topic.list(DeadLetterFilter.all())).isEmpty();
    assertThat(topic.body("r")).isEmpty();
  }

  @Test
  void theBodyIsReadWhenItIsAskedFor() {
    // Given
    topic.deadLetter("other");
    topic.deadLetterHolding("r", "the body");

    // Then
    assertThat(topic.body("r"))
        .hasValueSatisfying(body -> assertThat(body).isEqualTo(b("the body")));
  }

  @Test
  void aDeadLetterWithGarbledHeadersIsListedAnyway() {
    // Given
    topic.deadLetter("r", "history", "garbled", "append-time", "x", "model", "", "priority", "odd");

    // When
    DeadLetter deadLetter = topic.list(DeadLetterFilter.all()).getFirst();

    // Then
    assertThat(deadLetter.history()).isEqualTo(AttemptHistory.NONE);
    assertThat(deadLetter.model()).isEmpty();
    assertThat(deadLetter.sentEpochMillis()).isEqualTo(deadLetter.epochMillis());
  }

  @Test
  void aPoolThatWasNeverStartedIsAClearError() {
    // Given
    MockConsumer<String, byte[]> empty = new MockConsumer<>("none");
    empty.updatePartitions(Topics.DEAD_LETTERS, List.of());

    // Then
    assertThatThrownBy(
            () ->
                new DeadLetterLog(ClientConfig.at("kafka:1"), empty, System::nanoTime)
                    .list(DeadLetterFilter.all()))
        .isInstanceOf(ClientException.class)
        .hasMessage(
            "Kafka at kafka:1 has no topic sluice.dead-letters, so no pool has been started there");
  }

  @Test
  void aBrokerThatFallsSilentEndsTheReading() {
    // Given
    AtomicLong nanos = new AtomicLong();
    MockConsumer<String, byte[]> silent = new MockConsumer<>("none");
    var partition = new TopicPartition(Topics.DEAD_LETTERS, 0);
    silent.updateBeginningOffsets(Map.of(partition, 0L));
    BoundedRead read =
        new BoundedRead(
            silent, Duration.ofSeconds(1), () -> nanos.getAndAdd(Duration.ofSeconds(3).toNanos()));

    // Then
    assertThatThrownBy(
            () ->
                read.read(
                    Map.of(partition, new BoundedRead.Range(0, 10)),
                    Duration.ofMinutes(2),
                    record -> {}))
        .isInstanceOf(TimeoutException.class)
        .hasMessage("no record came for 20 s");
  }

  private List<String> ids(DeadLetterFilter filter) {
    return topic.list(filter).stream().map(DeadLetter::requestId).toList();
  }

  private static DeadLetterFilter filter(String name, String value) {
    Optional<String> wanted = Optional.of(value);
    return new DeadLetterFilter(
        Optional.empty(),
        name.equals("code") ? wanted : Optional.empty(),
        name.equals("tenant") ? wanted : Optional.empty(),
        name.equals("model") ? wanted : Optional.empty(),
        Optional.empty());
  }

  private static byte[] b(String text) {
    return text.getBytes(UTF_8);
  }
}
