package io.sluice.producer.deadletter;

import static io.sluice.producer.deadletter.MockDeadLetterTopic.START;
import static io.sluice.producer.deadletter.MockDeadLetterTopic.texts;
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
  private final MockDeadLetterTopic topic = new MockDeadLetterTopic();

  @Test
  void aDeadLetterIsSentAgainToItsLaneWithItsBodyItsHeadersAndItsLineage() {
    // Given
    topic.deadLetter(
        "r", "tenant", "acme", "reply-to", "sluice.replies.mine", "reply-partition", "3");

    // When
    List<Redrive.Result> results = topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    ProducerRecord<String, byte[]> sent = topic.requests().getFirst();
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
    assertThat(sent.partition()).isEqualTo(Partitions.of(newId, MockDeadLetterTopic.PARTITIONS));
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
    topic.deadLetter("named", "reply-to", "sluice.replies", "reply-partition", "3");
    topic.deadLetter("unnamed", "reply-partition", "3");

    // When
    List<Redrive.Result> results = topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(headersOf("named")).doesNotContainKey("reply-partition");
    assertThat(headersOf("unnamed")).doesNotContainKey("reply-partition");
    assertThat(results)
        .hasSize(2)
        .allMatch(result -> result.replyTo().isEmpty() && result.replyPartition().isEmpty());
  }

  @Test
  void deadLettersOfOneLineageAndCountHaveDifferentNewIds() {
    // Given
    topic.deadLetter("a", "redrive-of", "first", "redrive-count", "1");
    topic.deadLetter("b", "redrive-of", "first", "redrive-count", "1");

    // When
    topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(topic.requests()).extracting(ProducerRecord::key).doesNotHaveDuplicates().hasSize(2);
  }

  @Test
  void theNewIdTellsItsTimeAndIsTheSameEachTime() {
    // Given
    topic.deadLetter("r");
    DeadLetter deadLetter = topic.list(DeadLetterFilter.all()).getFirst();

    // Then
    assertThat(Redrive.newId(deadLetter)).isEqualTo(Redrive.newId(deadLetter));
    assertThat(RequestId.timeOf(Redrive.newId(deadLetter)))
        .contains(Instant.ofEpochMilli(START - 1_000));
  }

  @Test
  void redrivingTwiceSendsOnce() {
    // Given
    topic.deadLetter("a");
    topic.deadLetter("b");
    List<Redrive.Result> first = topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // When
    List<Redrive.Result> second = topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(first).hasSize(2);
    assertThat(second).isEmpty();
    assertThat(topic.requests()).hasSize(2);
    assertThat(topic.list(DeadLetterFilter.of("a")).getFirst().redrivenAs())
        .contains(topic.requests().getFirst().key());
  }

  @Test
  void aRedriveThatDiedBeforeItsMarkSendsTheSameIdAgain() {
    // Given
    MockDeadLetterTopic unmarked = new MockDeadLetterTopic();
    unmarked.deadLetter("r");
    topic.deadLetter("r");
    topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // When
    unmarked.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(unmarked.requests().getFirst().key()).isEqualTo(topic.requests().getFirst().key());
  }

  @Test
  void theLineageOfARedrivenRequestThatDiesAgainIsKept() {
    // Given
    topic.deadLetter("first");
    String second = topic.redrive(DeadLetterFilter.all(), AS_IT_SAID).getFirst().newId();
    topic.deadLetter(second, "redrive-of", "first", "redrive-count", "1");

    // When
    topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(topic.requests()).hasSize(2);
    ProducerRecord<String, byte[]> third = topic.requests().getLast();
    assertThat(third.key()).isNotIn("first", second);
    assertThat(texts(third.headers()))
        .containsEntry("redrive-of", "first")
        .containsEntry("redrive-count", "2");
  }

  @Test
  void anIdThatWasUsedAgainHasItsOwnDeadLetter() {
    // Given
    topic.deadLetter("r");
    topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);
    topic.deadLetter("r", "source-offset", "99", "append-time", Long.toString(START + 5_000));

    // When
    topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(topic.requests()).extracting(ProducerRecord::key).doesNotHaveDuplicates().hasSize(2);
  }

  @Test
  void aDeadlineThatHasPassedIsLeftOut() {
    // Given
    topic.deadLetter("late", "deadline", Long.toString(START));
    topic.deadLetter("in time", "deadline", Long.toString(START + 120_000));
    topic.deadLetter("relative", "timeout-ms", "5000");

    // When
    topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(headersOf("late")).doesNotContainKeys("deadline", "timeout-ms");
    assertThat(headersOf("in time")).containsEntry("deadline", Long.toString(START + 120_000));
    assertThat(headersOf("relative")).containsEntry("timeout-ms", "5000");
  }

  @Test
  void anotherDeadlineReplacesWhatTheRequestSaid() {
    // Given
    topic.deadLetter("r", "deadline", Long.toString(START + 120_000), "timeout-ms", "5000");

    // When
    topic.redrive(DeadLetterFilter.all(), Optional.of(Duration.ofMinutes(10)));

    // Then
    assertThat(headersOf("r")).containsEntry("timeout-ms", "600000").doesNotContainKey("deadline");
  }

  @Test
  void bulkGoesBackToTheBulkTopicWhereItWaitsForRoom() {
    // Given
    topic.deadLetter("r", "priority", "bulk");

    // When
    topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(topic.requests()).extracting(ProducerRecord::topic).containsExactly("sluice.bulk");
  }

  @Test
  void onlyWhatIsMeantIsRedriven() {
    // Given
    topic.deadLetter("a");
    topic.deadLetter("b");

    // When
    topic.redrive(DeadLetterFilter.of("b"), AS_IT_SAID);

    // Then
    assertThat(headersOf("b")).isNotEmpty();
    assertThat(topic.requests()).hasSize(1);
  }

  @Test
  void aDeadLetterWithoutABodyIsReportedAsNotRedriven() {
    // Given
    topic.deadLetterHolding("lost", "");
    topic.deadLetterHolding("odd", "body", "source-topic", "sluice.control");
    topic.deadLetter("whole");

    // When
    List<Redrive.Result> results = topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(results)
        .extracting(Redrive.Result::problem)
        .containsExactlyInAnyOrder(
            Optional.of("it has no body"),
            Optional.of("it does not say which lane it came from"),
            Optional.empty());
    assertThat(topic.requests()).hasSize(1);
  }

  @Test
  void aRequestThatWasTooLargeToBeKeptIsNotRedriven() {
    // Given
    topic.deadLetterHolding("large", "", "omitted-bytes", "9000000");

    // When
    List<Redrive.Result> results = topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(results.getFirst().problem())
        .contains("its 9000000 bytes were too many to be stored; it is still at its source");
    assertThat(topic.requests()).isEmpty();
  }

  @Test
  void whatARouterFailedAtIsNotRedriven() {
    // Given
    topic.unprocessed("r", "sluice.requests.8k", 2, 7);

    // Then
    assertThat(topic.redrive(DeadLetterFilter.all(), AS_IT_SAID)).isEmpty();
    assertThat(topic.redrive(DeadLetterFilter.of("r"), AS_IT_SAID)).isEmpty();
    assertThat(topic.requests()).isEmpty();
  }

  @Test
  void thousandsAreRedriven() {
    // Given
    for (int i = 0; i < 2_500; i++) {
      topic.deadLetter("r" + i);
    }

    // Then
    assertThat(topic.redrive(DeadLetterFilter.all(), AS_IT_SAID)).hasSize(2_500);
    assertThat(topic.requests()).extracting(ProducerRecord::key).doesNotHaveDuplicates();
    assertThat(topic.redrive(DeadLetterFilter.all(), AS_IT_SAID)).isEmpty();
  }

  @Test
  void whatKafkaDoesNotTakeIsNeitherMarkedNorSaidToBeRedriven() {
    // Given
    topic.deadLetter("r");
    topic.producer.sendException = new TimeoutException("no broker");

    // When
    List<Redrive.Result> results = topic.redrive(DeadLetterFilter.all(), AS_IT_SAID);

    // Then
    assertThat(results.getFirst().problem())
        .hasValue("Kafka at kafka:1 did not accept the request in time: no broker");
    assertThat(topic.producer.history()).isEmpty();
  }

  private Map<String, String> headersOf(String firstId) {
    return topic.requests().stream()
        .map(record -> texts(record.headers()))
        .filter(headers -> firstId.equals(headers.get("redrive-of")))
        .findFirst()
        .orElseThrow();
  }
}
