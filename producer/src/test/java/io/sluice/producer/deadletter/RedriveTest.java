package io.sluice.producer.deadletter;

import static io.sluice.producer.deadletter.LettersOnPaper.START;
import static io.sluice.producer.deadletter.LettersOnPaper.texts;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.RequestId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class RedriveTest {
  private static final Optional<Duration> AS_IT_SAID = Optional.empty();
  private final LettersOnPaper paper = new LettersOnPaper();

  @Test
  void aLetterIsSentAgainToItsLaneWithItsBodyItsHeadersAndItsLineage() {
    // Given
    paper.letter("r", "tenant", "acme", "reply-to", "sluice.replies.mine", "reply-partition", "3");

    // When
    List<Redrive.Result> results = paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    ProducerRecord<String, byte[]> sent = paper.requests().getFirst();
    String newId = results.getFirst().newId();
    assertThat(results)
        .containsExactly(
            new Redrive.Result(
                "r",
                newId,
                Optional.empty(),
                Optional.of("sluice.replies.mine"),
                OptionalInt.of(3)));
    assertThat(sent.topic()).isEqualTo("sluice.requests.8k");
    assertThat(sent.key()).isEqualTo(newId);
    assertThat(sent.partition()).isEqualTo(Partitions.of(newId, LettersOnPaper.PARTITIONS));
    assertThat(new String(sent.value(), UTF_8)).isEqualTo("{\"of\":\"r\"}");
    assertThat(texts(sent.headers()))
        .containsOnly(
            entry("endpoint", "/v1/chat/completions"),
            entry("tenant", "acme"),
            entry("reply-to", "sluice.replies.mine"),
            entry("reply-partition", "3"),
            entry("sluice", "1"),
            entry("request-id", newId),
            entry("redrive-of", "r"),
            entry("redrive-count", "1"));
  }

  @Test
  void anAnswerOnTheCommonTopicGoesToThePartitionOfTheNewId() {
    // Given
    paper.letter("named", "reply-to", "sluice.replies", "reply-partition", "3");
    paper.letter("unnamed", "reply-partition", "3");

    // When
    List<Redrive.Result> results = paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(headersOf("named")).doesNotContainKey("reply-partition");
    assertThat(headersOf("unnamed")).doesNotContainKey("reply-partition");
    assertThat(results)
        .hasSize(2)
        .allMatch(result -> result.replyTo().isEmpty() && result.replyPartition().isEmpty());
  }

  @Test
  void lettersOfOneLineageAndCountHaveDifferentNewIds() {
    // Given
    paper.letter("a", "redrive-of", "first", "redrive-count", "1");
    paper.letter("b", "redrive-of", "first", "redrive-count", "1");

    // When
    paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(paper.requests()).extracting(ProducerRecord::key).doesNotHaveDuplicates().hasSize(2);
  }

  @Test
  void theNewIdTellsItsTimeAndIsTheSameEachTime() {
    // Given
    paper.letter("r");
    DeadLetter letter = paper.list(LetterFilter.all()).getFirst();

    // Then
    assertThat(Redrive.newId(letter)).isEqualTo(Redrive.newId(letter));
    assertThat(RequestId.timeOf(Redrive.newId(letter)))
        .contains(Instant.ofEpochMilli(START - 1_000));
  }

  @Test
  void redrivingTwiceSendsOnce() {
    // Given
    paper.letter("a");
    paper.letter("b");
    List<Redrive.Result> first = paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // When
    List<Redrive.Result> second = paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(first).hasSize(2);
    assertThat(second).isEmpty();
    assertThat(paper.requests()).hasSize(2);
    assertThat(paper.list(LetterFilter.of("a")).getFirst().redrivenAs())
        .contains(paper.requests().getFirst().key());
  }

  @Test
  void aRedriveThatDiedBeforeItsMarkSendsTheSameIdAgain() {
    // Given
    LettersOnPaper unmarked = new LettersOnPaper();
    unmarked.letter("r");
    paper.letter("r");
    paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // When
    unmarked.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(unmarked.requests().getFirst().key()).isEqualTo(paper.requests().getFirst().key());
  }

  @Test
  void theLineageOfARedrivenRequestThatDiesAgainIsKept() {
    // Given
    paper.letter("first");
    String second = paper.redrive(LetterFilter.all(), AS_IT_SAID).getFirst().newId();
    paper.letter(second, "redrive-of", "first", "redrive-count", "1");

    // When
    paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(paper.requests()).hasSize(2);
    ProducerRecord<String, byte[]> third = paper.requests().getLast();
    assertThat(third.key()).isNotIn("first", second);
    assertThat(texts(third.headers()))
        .containsEntry("redrive-of", "first")
        .containsEntry("redrive-count", "2");
  }

  @Test
  void anIdThatWasUsedAnewHasALetterOfItsOwn() {
    // Given
    paper.letter("r");
    paper.redrive(LetterFilter.all(), AS_IT_SAID);
    paper.letter("r", "source-offset", "99", "append-time", Long.toString(START + 5_000));

    // When
    paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(paper.requests()).extracting(ProducerRecord::key).doesNotHaveDuplicates().hasSize(2);
  }

  @Test
  void aDeadlineThatHasPassedIsLeftOut() {
    // Given
    paper.letter("late", "deadline", Long.toString(START));
    paper.letter("in time", "deadline", Long.toString(START + 120_000));
    paper.letter("relative", "timeout-ms", "5000");

    // When
    paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(headersOf("late")).doesNotContainKeys("deadline", "timeout-ms");
    assertThat(headersOf("in time")).containsEntry("deadline", Long.toString(START + 120_000));
    assertThat(headersOf("relative")).containsEntry("timeout-ms", "5000");
  }

  @Test
  void anotherDeadlineReplacesWhatTheRequestSaid() {
    // Given
    paper.letter("r", "deadline", Long.toString(START + 120_000), "timeout-ms", "5000");

    // When
    paper.redrive(LetterFilter.all(), Optional.of(Duration.ofMinutes(10)));

    // Then
    assertThat(headersOf("r")).containsEntry("timeout-ms", "600000").doesNotContainKey("deadline");
  }

  @Test
  void bulkGoesBackToTheBulkTopicWhereItWaitsForRoom() {
    // Given
    paper.letter("r", "priority", "bulk");

    // When
    paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(paper.requests()).extracting(ProducerRecord::topic).containsExactly("sluice.bulk");
  }

  @Test
  void onlyWhatIsMeantIsRedriven() {
    // Given
    paper.letter("a");
    paper.letter("b");

    // When
    paper.redrive(LetterFilter.of("b"), AS_IT_SAID);

    // Then
    assertThat(headersOf("b")).isNotEmpty();
    assertThat(paper.requests()).hasSize(1);
  }

  @Test
  void aLetterWithoutABodyIsSaidNotToBeRedriven() {
    // Given
    paper.letterHolding("lost", "");
    paper.letterHolding("odd", "body", "source-topic", "sluice.control");
    paper.letter("whole");

    // When
    List<Redrive.Result> results = paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(results)
        .extracting(Redrive.Result::problem)
        .containsExactlyInAnyOrder(
            Optional.of("it has no body"),
            Optional.of("it does not say which lane it came from"),
            Optional.empty());
    assertThat(paper.requests()).hasSize(1);
  }

  @Test
  void aRequestThatWasTooLargeToBeKeptIsNotRedriven() {
    // Given
    paper.letterHolding("large", "", "omitted-bytes", "9000000");

    // When
    List<Redrive.Result> results = paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(results.getFirst().problem())
        .contains("its 9000000 bytes were too many to be kept; it is still at its source");
    assertThat(paper.requests()).isEmpty();
  }

  @Test
  void whatARouterFailedAtIsNotRedriven() {
    // Given
    paper.unprocessed("r", "sluice.requests.8k", 2, 7);

    // Then
    assertThat(paper.redrive(LetterFilter.all(), AS_IT_SAID)).isEmpty();
    assertThat(paper.redrive(LetterFilter.of("r"), AS_IT_SAID)).isEmpty();
    assertThat(paper.requests()).isEmpty();
  }

  @Test
  void thousandsAreRedriven() {
    // Given
    for (int i = 0; i < 2_500; i++) {
      paper.letter("r" + i);
    }

    // Then
    assertThat(paper.redrive(LetterFilter.all(), AS_IT_SAID)).hasSize(2_500);
    assertThat(paper.requests()).extracting(ProducerRecord::key).doesNotHaveDuplicates();
    assertThat(paper.redrive(LetterFilter.all(), AS_IT_SAID)).isEmpty();
  }

  @Test
  void whatKafkaDoesNotTakeIsNeitherMarkedNorSaidToBeRedriven() {
    // Given
    paper.letter("r");
    paper.producer.sendException = new TimeoutException("no broker");

    // When
    List<Redrive.Result> results = paper.redrive(LetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(results.getFirst().problem())
        .hasValue("Kafka at paper:1 did not take the request in time: no broker");
    assertThat(paper.producer.history()).isEmpty();
  }

  private Map<String, String> headersOf(String firstId) {
    return paper.requests().stream()
        .map(record -> texts(record.headers()))
        .filter(headers -> firstId.equals(headers.get("redrive-of")))
        .findFirst()
        .orElseThrow();
  }
}
