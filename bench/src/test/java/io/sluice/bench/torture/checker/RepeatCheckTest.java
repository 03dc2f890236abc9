package io.sluice.bench.torture.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.log.ReplyTopics;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RepeatCheckTest {
  private static final Optional<String> ELSEWHERE = Optional.of(ReplyTopics.ELSEWHERE);
  private static final Optional<String> USUAL = Optional.empty();

  @Test
  void aRepeatGetsAPointerAtItsAddress() {
    RecordedRequest scene = RecordedRequest.answered(RequestKind.LONG).reused("tenant", ELSEWHERE);
    assertThat(scene.found())
        .containsExactly("its repeat got no pointer on sluice.replies.elsewhere");
    assertThat(scene.pointer(ReplyTopics.ELSEWHERE, "sluice.replies").check()).isEmpty();
  }

  @Test
  void aRepeatAtTheSameAddressGetsOneToo() {
    RecordedRequest scene = RecordedRequest.answered(RequestKind.LONG).reused("tenant", USUAL);
    assertThat(scene.found()).containsExactly("its repeat got no pointer on sluice.replies");
    assertThat(scene.pointer("sluice.replies", "sluice.replies").check()).isEmpty();
  }

  @Test
  void aPointerThatLeadsElsewhereIsFound() {
    assertThat(
            RecordedRequest.answered(RequestKind.LONG)
                .reused("tenant", ELSEWHERE)
                .pointer(ReplyTopics.ELSEWHERE, ReplyTopics.ELSEWHERE)
                .found())
        .containsExactly("a pointer names another topic than its reply topic");
  }

  @Test
  void aStrangerIsRefusedWhereTheAnswerIsTooAndByADeadLetter() {
    RecordedRequest scene = RecordedRequest.answered(RequestKind.LONG).reused("stranger", USUAL);
    assertThat(scene.found())
        .containsExactly(
            "another tenant that used its id got no error",
            "another tenant's request with its id has no dead letter");
    assertThat(refused(PlannedRequest.REPLIES).check()).isEmpty();
    assertThat(refused(ReplyTopics.ELSEWHERE).check()).isEmpty();
  }

  @Test
  void aStrangerWhoIsToldOfTheAnswerIsFound() {
    assertThat(refused(ReplyTopics.ELSEWHERE).pointer(ReplyTopics.ELSEWHERE, "").found())
        .containsExactly("another tenant was told where its answer is");
    assertThat(
            refused(ReplyTopics.ELSEWHERE)
                .line(ReplyTopics.ELSEWHERE, RecordedRequest.SENT, "tokens", 0, 1, "one ", "")
                .found())
        .containsExactly("its answer is on a topic that it did not name");
  }

  private static RecordedRequest refused(String topic) {
    Optional<String> replyTo = topic.equals(PlannedRequest.REPLIES) ? USUAL : ELSEWHERE;
    return RecordedRequest.answered(RequestKind.LONG)
        .reused("stranger", replyTo, "request_id_in_use")
        .refusal(topic);
  }
}
