package io.sluice.producer.deadletter;

import static io.sluice.producer.deadletter.LettersOnPaper.START;
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
  private final LettersOnPaper paper = new LettersOnPaper();

  @Test
  void aLetterIsReadWithItsErrorItsRequestAndItsHistory() {
    // Given
    paper.letter("r", "tenant", "acme", "priority", "bulk", "x-own", "kept");

    // When
    DeadLetter letter = paper.list(LetterFilter.all()).getFirst();

    // Then
    assertThat(letter.requestId()).isEqualTo("r");
    assertThat(letter.epochMillis()).isEqualTo(START);
    assertThat(letter.code()).isEqualTo("engine_error");
    assertThat(letter.model()).isEqualTo("m");
    assertThat(letter.tenant()).isEqualTo("acme");
    assertThat(letter.priority()).isEqualTo(Priority.BULK);
    assertThat(letter.source()).isEqualTo("sluice.requests.8k-1-17");
    assertThat(letter.history()).isEqualTo(AttemptHistory.parse(LettersOnPaper.HISTORY).get());
    assertThat(letter.headers())
        .containsEntry("x-own", "kept")
        .doesNotContainKeys("error-code", "history", "model", "append-time");
    assertThat(letter.bodyBytes()).isEqualTo(10);
    assertThat(letter.redrivenAs()).isEmpty();
  }

  @Test
  void lettersOfAllPartitionsComeInTheOrderOfTheirTimes() {
    // Given
    for (int i = 0; i < 3_000; i++) {
      paper.letter("r" + i);
    }

    // Then
    assertThat(paper.list(LetterFilter.all()))
        .hasSize(3_000)
        .isSortedAccordingTo((a, b) -> Long.compare(a.epochMillis(), b.epochMillis()));
  }

  @Test
  void onlyWhatIsMeantIsListed() {
    // Given
    paper.letter("a", "tenant", "acme");
    paper.letter("b", "error-code", "deadline_exceeded");
    paper.letter("c", "model", "other");

    // Then
    assertThat(ids(filter("code", "deadline_exceeded"))).containsExactly("b");
    assertThat(ids(filter("tenant", "acme"))).containsExactly("a");
    assertThat(ids(filter("model", "other"))).containsExactly("c");
    assertThat(ids(filter("code", "none"))).isEmpty();
    assertThat(ids(LetterFilter.of("b"))).containsExactly("b");
    LetterFilter lately =
        new LetterFilter(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(Instant.ofEpochMilli(START + 1)));
    assertThat(ids(lately)).containsExactly("b", "c");
  }

  @Test
  void aLetterThatWasWrittenTwiceIsOne() {
    // Given
    paper.letter("r");
    paper.letter("r");

    // Then
    assertThat(ids(LetterFilter.all())).containsExactly("r");
  }

  @Test
  void aLetterWhoseRequestSaysThatItWasRedrivenIsALetterStill() {
    // Given
    paper.letter("r", "redriven-as", "x");
    paper.letterHolding("empty", "", "redriven-as", "x");

    // When
    List<DeadLetter> letters = paper.list(LetterFilter.all());

    // Then
    assertThat(letters).extracting(DeadLetter::requestId).containsExactly("r", "empty");
    assertThat(letters).allMatch(letter -> letter.redrivenAs().isEmpty());
    assertThat(letters).noneMatch(letter -> letter.headers().containsKey("redriven-as"));
  }

  @Test
  void whatARouterFailedAtIsListedByItsPlaceWhereItIsNoRequest() {
    // Given
    paper.letter("r");
    paper.unprocessed("sluice.outcomes-2-7", "sluice.outcomes", 2, 7);
    paper.unprocessed("sluice.outcomes-2-7", "sluice.outcomes", 2, 7);
    paper.unprocessed("sluice.control-2-9", "sluice.control", 2, 9);

    // Then
    assertThat(ids(LetterFilter.all()))
        .containsExactly("r", "sluice.outcomes-2-7", "sluice.control-2-9");
    assertThat(ids(LetterFilter.of("r"))).containsExactly("r");
    DeadLetter found = paper.list(LetterFilter.of("sluice.outcomes-2-7")).getFirst();
    assertThat(found.code()).isEqualTo("unprocessed");
    assertThat(found.message()).isEqualTo("java.lang.ArithmeticException: long overflow");
    assertThat(paper.list(LetterFilter.of("r")).getFirst().redrivenAs()).isEmpty();
  }

  @Test
  void aRecordOfUnknownMakeIsListedByWhereItStands() {
    // Given
    paper.letterHolding("r", "body", "error-code", "");

    // Then
    assertThat(ids(filter("code", "unprocessed")))
        .singleElement()
        .asString()
        .matches("sluice\\.dead-letters-[0-3]-0");
  }

  @Test
  void anEmptyTopicHasNoLetters() {
    assertThat(paper.list(LetterFilter.all())).isEmpty();
    assertThat(paper.body("r")).isEmpty();
  }

  @Test
  void theBodyIsReadWhenItIsAskedFor() {
    // Given
    paper.letter("other");
    paper.letterHolding("r", "the body");

    // Then
    assertThat(paper.body("r"))
        .hasValueSatisfying(body -> assertThat(body).isEqualTo(b("the body")));
  }

  @Test
  void aLetterOfAnotherMakeIsListedAllTheSame() {
    // Given
    paper.letter("r", "history", "garbled", "append-time", "x", "model", "", "priority", "odd");

    // When
    DeadLetter letter = paper.list(LetterFilter.all()).getFirst();

    // Then
    assertThat(letter.history()).isEqualTo(AttemptHistory.NONE);
    assertThat(letter.model()).isEmpty();
    assertThat(letter.sentEpochMillis()).isEqualTo(letter.epochMillis());
  }

  @Test
  void aPoolThatWasNeverStartedIsAClearError() {
    // Given
    MockConsumer<String, byte[]> empty = new MockConsumer<>("none");
    empty.updatePartitions(Topics.DEAD_LETTERS, List.of());

    // Then
    assertThatThrownBy(
            () ->
                new DeadLetterLog(ClientConfig.at("paper:1"), empty, System::nanoTime)
                    .list(LetterFilter.all()))
        .isInstanceOf(ClientException.class)
        .hasMessage(
            "Kafka at paper:1 has no topic sluice.dead-letters, so no pool was ever started there");
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

  private List<String> ids(LetterFilter filter) {
    return paper.list(filter).stream().map(DeadLetter::requestId).toList();
  }

  private static LetterFilter filter(String name, String value) {
    Optional<String> wanted = Optional.of(value);
    return new LetterFilter(
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
