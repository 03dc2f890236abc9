package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.common.internals.Topic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopicsTest {

  @ParameterizedTest
  @ValueSource(strings = {"sluice.replies", "sluice.replies.shop", "sluice.replies.a.b_c-D9"})
  void answersMayGoToReplyTopics(String topic) {
    assertThat(Topics.isReplyTopic(topic)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("poolTopicsAndTricks")
  void noRequestCanMakeThePoolWriteToItsOwnTopics(String topic) {
    assertThat(Topics.isReplyTopic(topic)).isFalse();
  }

  static Stream<String> poolTopicsAndTricks() {
    return Stream.concat(
        poolTopics(),
        Stream.of(
            "",
            ".",
            "__consumer_offsets",
            "sluice.replies.",
            "sluice.replies\n",
            "sluice.replies.x\n",
            "sluice.replies.x\r\nsluice.control",
            "\nsluice.replies",
            "sluice.replies ",
            "sluice.replies.a b",
            "sluice.replies/../sluice.control",
            "sluice.repliesx",
            "sluice_replies",
            "sluiceXreplies",
            "Sluice.Replies",
            "sluice.replies.\u0000",
            "sluice.replies.\u00e9",
            "sluice.replies.\u0661",
            "sluice.replies,sluice.control",
            "sluice.control.sluice.replies",
            "sluice.replies." + "x".repeat(235)));
  }

  @Property
  void whateverIsAReplyTopicIsALegalTopicAndNoneOfThePools(@ForAll String suffix) {
    // Given
    String topic = "sluice.replies" + suffix;

    // When
    boolean allowed = Topics.isReplyTopic(topic);

    // Then
    if (allowed) {
      Topic.validate(topic);
      assertThat(poolTopics()).doesNotContain(topic);
    }
  }

  @Test
  void theLongestReplyTopicIsTheLongestThatKafkaTakes() {
    assertThat(Topics.replies("x".repeat(234))).hasSize(249);
    assertThatIllegalArgumentException().isThrownBy(() -> Topics.replies("x".repeat(235)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a/b", "\n", "\u4e2d"})
  void aServiceThatCannotNameATopicIsRefused(String service) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Topics.replies(service))
        .withMessageContaining("'" + service + "'");
  }

  @Test
  void aWorkersTopicFollowsFromItsId() {
    assertThat(Topics.worker("gpu-3.rack_1")).isEqualTo("sluice.worker.gpu-3.rack_1");
    Topic.validate(Topics.worker("w".repeat(100)));
  }

  @Test
  void aWorkerIdThatCannotNameATopicIsRefused() {
    for (String id : Set.of("", "a b", "a/b", "a\n", "w".repeat(101))) {
      assertThatIllegalArgumentException().isThrownBy(() -> Topics.worker(id));
    }
  }

  private static Stream<String> poolTopics() {
    return Stream.concat(
        Lanes.standard().all().stream().map(Topics::requests),
        Stream.of(
            Topics.BULK,
            Topics.CONTROL,
            Topics.OUTCOMES,
            Topics.DEAD_LETTERS,
            Topics.DECISIONS,
            Topics.worker("gpu-3"),
            Topics.worker("replies")));
  }
}
