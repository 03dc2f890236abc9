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
  void a_repeat_gets_a_pointer_at_its_address() {
    Scene scene = Scene.answered(RequestKind.LONG).reused("tenant", ELSEWHERE);
    assertThat(scene.found())
        .containsExactly("its repeat got no pointer on sluice.replies.elsewhere");
    assertThat(scene.pointer(ReplyTopics.ELSEWHERE, "sluice.replies").check()).isEmpty();
  }

  @Test
  void a_repeat_at_the_same_address_gets_one_too() {
    Scene scene = Scene.answered(RequestKind.LONG).reused("tenant", USUAL);
    assertThat(scene.found()).containsExactly("its repeat got no pointer on sluice.replies");
    assertThat(scene.pointer("sluice.replies", "sluice.replies").check()).isEmpty();
  }

  @Test
  void a_pointer_that_leads_elsewhere_is_found() {
    assertThat(
            Scene.answered(RequestKind.LONG)
                .reused("tenant", ELSEWHERE)
                .pointer(ReplyTopics.ELSEWHERE, ReplyTopics.ELSEWHERE)
                .found())
        .containsExactly("a pointer of it leads elsewhere");
  }

  @Test
  void a_stranger_is_refused_where_the_answer_is_too_and_by_a_dead_letter() {
    Scene scene = Scene.answered(RequestKind.LONG).reused("stranger", USUAL);
    assertThat(scene.found())
        .containsExactly(
            "another tenant that used its id has heard of no error",
            "another tenant's request that used its id is no dead letter");
    assertThat(refused(PlannedRequest.REPLIES).check()).isEmpty();
    assertThat(refused(ReplyTopics.ELSEWHERE).check()).isEmpty();
  }

  @Test
  void a_stranger_who_is_told_of_the_answer_is_found() {
    assertThat(refused(ReplyTopics.ELSEWHERE).pointer(ReplyTopics.ELSEWHERE, "").found())
        .containsExactly("another tenant was told where its answer is");
    assertThat(
            refused(ReplyTopics.ELSEWHERE)
                .line(ReplyTopics.ELSEWHERE, Scene.SENT, "tokens", 0, 1, "one ", "")
                .found())
        .containsExactly("an address that it never named has its answer");
  }

  private static Scene refused(String topic) {
    Optional<String> replyTo = topic.equals(PlannedRequest.REPLIES) ? USUAL : ELSEWHERE;
    return Scene.answered(RequestKind.LONG)
        .reused("stranger", replyTo, "request_id_in_use")
        .refusal(topic);
  }
}
