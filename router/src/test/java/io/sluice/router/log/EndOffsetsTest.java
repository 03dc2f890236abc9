package io.sluice.router.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.log.EndOffsets.End;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class EndOffsetsTest {
  private static final TopicPartition FIRST = new TopicPartition("sluice.outcomes", 1);
  private static final TopicPartition SECOND = new TopicPartition("sluice.replies", 2);

  private final List<Map<TopicPartition, CompletableFuture<Long>>> questions = new ArrayList<>();
  private long nanos = -1_000;
  private final EndOffsets ends = new EndOffsets(this::ends, () -> nanos);

  @Test
  void nothingIsKnownBeforeAnAnswerHasCome() {
    // Given
    ends.watch(FIRST);

    // When
    ends.ask();

    // Then
    assertThat(ends.of(FIRST)).isEmpty();
    assertThat(questions).singleElement().satisfies(asked -> assertThat(asked).hasSize(1));
  }

  @Test
  void anEndHoldsForTheMomentAtWhichItWasAskedForHoweverLateTheAnswer() {
    // Given
    ends.watch(FIRST);
    ends.watch(SECOND);
    ends.ask();
    nanos = 500;

    // When
    questions.get(0).get(FIRST).complete(40L);

    // Then
    assertThat(ends.of(FIRST)).contains(new End(40, -1_000));
    assertThat(ends.of(SECOND)).isEmpty();
  }

  @Test
  void ofTwoAnswersTheOneThatWasAskedForLaterCounts() {
    // Given
    ends.watch(FIRST);
    ends.ask();
    nanos = 500;
    ends.ask();

    // When
    questions.get(1).get(FIRST).complete(60L);
    questions.get(0).get(FIRST).complete(40L);

    // Then
    assertThat(ends.of(FIRST)).contains(new End(60, 500));
  }

  @Test
  void brokersThatAreAwayChangeNothingAndAreAskedAgain() {
    // Given
    ends.watch(FIRST);
    ends.ask();
    questions.get(0).get(FIRST).complete(40L);

    // When
    ends.ask();
    questions.get(1).get(FIRST).completeExceptionally(new IllegalStateException("away"));
    nanos = 500;
    ends.ask();
    var whileAway = ends.of(FIRST);
    questions.get(2).get(FIRST).complete(70L);

    // Then
    assertThat(whileAway).contains(new End(40, -1_000));
    assertThat(ends.of(FIRST)).contains(new End(70, 500));
  }

  @Test
  void anUnwatchedPartitionIsForgottenAndNotAskedFor() {
    // Given
    ends.watch(FIRST);
    ends.watch(FIRST);
    ends.ask();
    questions.get(0).get(FIRST).complete(40L);

    // When
    ends.unwatch(FIRST);
    var whileOneWatches = ends.of(FIRST);
    ends.ask();
    ends.unwatch(FIRST);
    questions.get(1).get(FIRST).complete(50L);
    ends.ask();

    // Then
    assertThat(whileOneWatches).isPresent();
    assertThat(ends.of(FIRST)).isEmpty();
    assertThat(questions).hasSize(2);
  }

  @Test
  void aPartitionThatIsGoneIsForgottenAndAskedForAgainWhenItMayBeBack() {
    // Given
    ends.watch(FIRST);
    ends.ask();
    questions.get(0).get(FIRST).complete(40L);
    ends.ask();

    // When
    questions.get(1).get(FIRST).completeExceptionally(new UnknownTopicOrPartitionException());
    ends.watch(SECOND);
    ends.ask();
    nanos += Duration.ofSeconds(2).toNanos();
    ends.ask();

    // Then
    assertThat(ends.of(FIRST)).isEmpty();
    assertThat(questions.get(2)).containsOnlyKeys(SECOND);
    assertThat(questions.get(3)).containsOnlyKeys(FIRST, SECOND);
  }

  @Test
  void whileNothingIsUnderWayKnownEndsAreAskedForOnceASecond() {
    // Given
    ends.watch(FIRST);
    ends.askIfDue(true);
    nanos += Duration.ofMillis(250).toNanos();
    ends.askIfDue(true);
    int whileUnknown = questions.size();
    questions.get(1).get(FIRST).complete(40L);

    // When
    for (int quarters = 0; quarters < 4; quarters++) {
      nanos += Duration.ofMillis(250).toNanos();
      ends.askIfDue(true);
    }

    // Then
    assertThat(whileUnknown).isEqualTo(2);
    assertThat(questions).hasSize(3);
  }

  @Test
  void endsAreAskedForFourTimesASecondAsSoonAsSomethingIsUnderWay() {
    // Given
    ends.watch(FIRST);
    ends.ask();
    questions.get(0).get(FIRST).complete(40L);

    // When
    nanos += Duration.ofMillis(250).toNanos();
    ends.askIfDue(false);

    // Then
    assertThat(questions).hasSize(2);
  }

  private Map<TopicPartition, CompletionStage<Long>> ends(Set<TopicPartition> partitions) {
    Map<TopicPartition, CompletableFuture<Long>> asked = new HashMap<>();
    partitions.forEach(partition -> asked.put(partition, new CompletableFuture<>()));
    questions.add(asked);
    return new HashMap<>(asked);
  }
}
