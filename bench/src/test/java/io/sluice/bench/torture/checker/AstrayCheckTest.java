package io.sluice.bench.torture.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.log.ReplyTopics;
import org.junit.jupiter.api.Test;

class AstrayCheckTest {
  private static final String LOST = ReplyTopics.LOST_PREFIX + "1";
  private static final String THIN = "sluice.replies.thin-1";

  @Test
  void a_request_that_ends_nowhere_is_found() {
    assertThat(astray(LOST).found())
        .containsExactly("it has no end, neither at its reply topic nor on sluice.replies");
  }

  @Test
  void an_end_at_the_usual_topic_and_a_dead_letter_will_do() {
    assertThat(astray(LOST).error(Scene.SENT, "invalid_request").found())
        .containsExactly("it was ended elsewhere than asked for, and is no dead letter");
    assertThat(astray(LOST).error(Scene.SENT, "invalid_request").letter("invalid_request").check())
        .isEmpty();
  }

  @Test
  void an_end_that_was_deleted_with_its_topic_will_do() {
    Scene deleted = astray(LOST);
    deleted.log.completed();
    assertThat(deleted.check()).isEmpty();

    Scene kept = astray(THIN);
    kept.log.completed();
    assertThat(kept.check()).hasSize(1);
  }

  @Test
  void two_ends_are_found_where_the_topic_is_kept() {
    assertThat(
            astray(THIN)
                .error(THIN, Scene.SENT, "deadline_exceeded")
                .error(Scene.SENT, "deadline_exceeded")
                .letter("deadline_exceeded")
                .found())
        .contains("it has two ends, one at its reply topic and one on sluice.replies");
  }

  @Test
  void an_answer_where_nobody_asked_for_it_is_found() {
    assertThat(
            astray(LOST)
                .tokens(Scene.SENT, 0, 3, Scene.TEXT)
                .end(Scene.SENT, 3, "", 3)
                .letter("?")
                .found())
        .containsExactly("it was answered where nobody asked for it");
  }

  private static Scene astray(String topic) {
    Scene scene = Scene.sent(RequestKind.ASTRAY);
    scene.request = scene.request.answeredAt(topic);
    return scene;
  }
}
