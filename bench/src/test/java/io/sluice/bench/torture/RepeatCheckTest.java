package io.sluice.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

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
  void a_stranger_who_hears_of_no_error_is_found() {
    assertThat(Scene.answered(RequestKind.LONG).reused("stranger", USUAL).found())
        .containsExactly("another tenant that used its id has heard of no error");
    assertThat(
            Scene.answered(RequestKind.LONG).reused("stranger", USUAL, "invalid_request").check())
        .isEmpty();
    assertThat(
            Scene.answered(RequestKind.LONG)
                .reused("stranger", ELSEWHERE)
                .error(ReplyTopics.ELSEWHERE, Scene.SENT, "invalid_request")
                .check())
        .isEmpty();
  }

  @Test
  void a_stranger_who_is_told_of_the_answer_is_found() {
    assertThat(
            Scene.answered(RequestKind.LONG)
                .reused("stranger", ELSEWHERE, "invalid_request")
                .pointer(ReplyTopics.ELSEWHERE, "sluice.replies")
                .found())
        .containsExactly("another tenant was told where its answer is");
    assertThat(
            Scene.answered(RequestKind.LONG)
                .reused("stranger", ELSEWHERE, "invalid_request")
                .line(ReplyTopics.ELSEWHERE, Scene.SENT, "tokens", 0, 1, "one ", "")
                .found())
        .containsExactly("an address that it never named has its answer");
  }
}
