package io.sluice.router.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Lanes;
import io.sluice.router.request.RequestMetadata.Source;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

class LogEndsTest {
  private final List<Map<TopicPartition, KafkaFutureImpl<ListOffsetsResultInfo>>> questions =
      new ArrayList<>();
  private final LogEnds ends = new LogEnds(admin(), Lanes.parse("2k,8k"));

  @Test
  void nothingIsFreshBeforeTheLogsEndIsKnown() {
    // When
    ends.learn(3);

    // Then
    assertThat(questions.getFirst()).hasSize(2);
    assertThat(ends.test(source("2k", 3, 1_000))).isFalse();
  }

  @Test
  void whatIsAppendedAfterTheTaskBeganIsFresh() {
    // Given
    ends.learn(3);

    // When
    answer(0, "2k", 3, 100);

    // Then
    assertThat(ends.test(source("2k", 3, 99))).isFalse();
    assertThat(ends.test(source("2k", 3, 100))).isTrue();
    assertThat(ends.test(source("8k", 3, 100))).isFalse();
    assertThat(ends.test(source("2k", 4, 100))).isFalse();
  }

  @Test
  void aTaskThatBeginsAgainLearnsAgain() {
    // Given
    ends.learn(3);
    answer(0, "2k", 3, 100);

    // When
    ends.learn(3);
    boolean beforeTheAnswer = ends.test(source("2k", 3, 150));
    answer(1, "2k", 3, 200);

    // Then
    assertThat(beforeTheAnswer).isFalse();
    assertThat(ends.test(source("2k", 3, 150))).isFalse();
    assertThat(ends.test(source("2k", 3, 200))).isTrue();
  }

  @Test
  void aLateAnswerToAnEarlierQuestionMakesNothingFresh() {
    // Given
    ends.learn(3);
    ends.learn(3);
    answer(1, "2k", 3, 200);

    // When
    answer(0, "2k", 3, 100);

    // Then
    assertThat(ends.test(source("2k", 3, 150))).isFalse();
  }

  @Test
  void withoutAnAnswerNothingIsFresh() {
    // Given
    ends.learn(3);

    // When
    questions
        .getFirst()
        .get(new TopicPartition("sluice.requests.2k", 3))
        .completeExceptionally(new IllegalStateException("the broker is away"));

    // Then
    assertThat(ends.test(source("2k", 3, 1_000))).isFalse();
  }

  private void answer(int question, String lane, int partition, long end) {
    questions
        .get(question)
        .get(new TopicPartition("sluice.requests." + lane, partition))
        .complete(new ListOffsetsResultInfo(end, -1, Optional.empty()));
  }

  private static Source source(String lane, int partition, long offset) {
    return new Source("sluice.requests." + lane, partition, offset);
  }

  /** Knows one call only, and leaves its answer to the test. */
  private Admin admin() {
    return (Admin)
        Proxy.newProxyInstance(
            Admin.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("listOffsets");
              Map<TopicPartition, KafkaFutureImpl<ListOffsetsResultInfo>> asked = new HashMap<>();
              ((Map<?, ?>) arguments[0])
                  .keySet()
                  .forEach(key -> asked.put((TopicPartition) key, new KafkaFutureImpl<>()));
              questions.add(asked);
              Map<TopicPartition, KafkaFuture<ListOffsetsResultInfo>> answers =
                  new HashMap<>(asked);
              return new ListOffsetsResult(answers);
            });
  }
}
