package io.sluice.bench.torture.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.log.ReplyTopics;
import org.junit.jupiter.api.Test;

class ReplyTopicCheckTest {
  private static final String LOST = ReplyTopics.LOST_PREFIX + "1";
  private static final String THIN = "sluice.replies.thin-1";

  @Test
  void aRequestThatEndsNowhereIsFound() {
    assertThat(astray(LOST).found())
        .containsExactly("it has no end on its reply topic and none on sluice.replies");
  }

  @Test
  void anEndAtTheUsualTopicAndADeadLetterWillDo() {
    assertThat(astray(LOST).error(RecordedRequest.SENT, "invalid_request").found())
        .containsExactly("it ended on another topic than its own and has no dead letter");
    assertThat(
            astray(LOST)
                .error(RecordedRequest.SENT, "invalid_request")
                .deadLetter("invalid_request")
                .check())
        .isEmpty();
  }

  @Test
  void anEndThatWasDeletedWithItsTopicWillDo() {
    RecordedRequest deleted = astray(LOST);
    deleted.log.completed();
    assertThat(deleted.check()).isEmpty();

    RecordedRequest kept = astray(THIN);
    kept.log.completed();
    assertThat(kept.check()).hasSize(1);
  }

  @Test
  void twoEndsAreFoundWhereTheTopicIsKept() {
    assertThat(
            astray(THIN)
                .error(THIN, RecordedRequest.SENT, "deadline_exceeded")
                .error(RecordedRequest.SENT, "deadline_exceeded")
                .deadLetter("deadline_exceeded")
                .found())
        .contains("it has two ends, one on its reply topic and one on sluice.replies");
  }

  @Test
  void anAnswerOnAnUnrequestedTopicIsFound() {
    assertThat(
            astray(LOST)
                .tokens(RecordedRequest.SENT, 0, 3, RecordedRequest.TEXT)
                .end(RecordedRequest.SENT, 3, "", 3)
                .deadLetter("?")
                .found())
        .containsExactly("it was answered on a topic that it did not name");
  }

  private static RecordedRequest astray(String topic) {
    RecordedRequest scene = RecordedRequest.sent(RequestKind.LOST_REPLY_TOPIC);
    scene.request = scene.request.answeredAt(topic);
    return scene;
  }
}
