package io.sluice.bench.torture.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.load.Ending;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.load.SdkAnswer;
import io.sluice.bench.torture.log.Reading;
import io.sluice.bench.torture.pool.Target;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Every violation that the checker knows is found, and nothing where nothing is wrong. */
class CheckerTest {
  private static final long DEADLINE = Scene.SENT + 150_000;

  @Test
  void a_right_answer_is_right() {
    assertThat(Scene.answered(RequestKind.CHAT).check()).isEmpty();
  }

  @Test
  void what_kafka_took_has_to_be_in_a_log() {
    Scene scene = Scene.of(RequestKind.CHAT);
    assertThat(scene.found()).containsExactly("Kafka took it, and it is in no log");

    scene.isUnsent = true;
    assertThat(scene.found()).isEmpty();
    assertThat(scene.tokens(0, 0, 1, "one ").found())
        .containsExactly("it was never appended, and has replies");
  }

  @Test
  void a_request_without_an_end_is_found() {
    assertThat(Scene.sent(RequestKind.CHAT).tokens(Scene.SENT, 0, 1, "one ").found())
        .containsExactly("it has no end");
  }

  @Test
  void an_end_after_the_deadline_is_late_unless_somebody_had_to_take_over() {
    Scene scene =
        Scene.sent(RequestKind.CHAT)
            .tokens(Scene.SENT, 0, 3, Scene.TEXT)
            .end(DEADLINE + 6_000, 3, "", 3);
    assertThat(scene.check())
        .singleElement()
        .matches(Violation::isLate)
        .extracting(Violation::what)
        .isEqualTo("it ended 6000 ms after its deadline");

    scene.blows.add(
        new InjectedFault(DEADLINE, DEADLINE + 1_000, "kill", List.of(Target.broker(1))));
    assertThat(scene.check()).isEmpty();
  }

  @Test
  void blows_that_nobody_takes_over_from_allow_no_delay() {
    Scene scene =
        Scene.sent(RequestKind.CHAT)
            .tokens(Scene.SENT, 0, 3, Scene.TEXT)
            .end(DEADLINE + 6_000, 3, "", 3);
    scene.blows.add(
        new InjectedFault(DEADLINE, DEADLINE + 1_000, "kill", List.of(Target.engine(1))));
    assertThat(scene.check()).hasSize(1);
  }

  @Test
  void an_error_that_its_kind_may_not_end_with_is_found() {
    assertThat(
            Scene.sent(RequestKind.CHAT)
                .error(Scene.SENT, "engine_error")
                .letter("engine_error")
                .found())
        .singleElement()
        .asString()
        .startsWith("it ended with engine_error");
    Scene thrice = Scene.sent(RequestKind.CHAT).letter("engine_error");
    List.of("1", "2", "3").forEach(thrice.log::failed);
    assertThat(thrice.error(Scene.SENT, "engine_error").check()).isEmpty();
  }

  @Test
  void a_failure_without_a_dead_letter_is_found_but_for_those_that_lose_nothing() {
    assertThat(Scene.sent(RequestKind.BROKEN).error(Scene.SENT, "invalid_request").found())
        .containsExactly("it ended with invalid_request, and is no dead letter");
    assertThat(Scene.sent(RequestKind.LARGE).error(Scene.SENT, "overloaded").check()).isEmpty();
  }

  @Test
  void an_end_before_the_deadline_that_it_names_is_found() {
    assertThat(
            Scene.sent(RequestKind.HURRIED)
                .tokens(Scene.SENT, 0, 1, "one ")
                .error(DEADLINE - 10_000, "deadline_exceeded")
                .letter("deadline_exceeded")
                .found())
        .containsExactly("it was ended 10000 ms before its deadline");
  }

  @Test
  void text_before_an_error_has_to_be_the_beginning() {
    assertThat(
            Scene.sent(RequestKind.CANCELLED)
                .tokens(Scene.SENT, 0, 1, "two ")
                .error(Scene.SENT, "cancelled")
                .found())
        .singleElement()
        .asString()
        .startsWith("what came before the error is not the beginning");
  }

  @Test
  void an_answer_to_what_has_to_be_refused_is_found() {
    assertThat(Scene.answered(RequestKind.UNSERVED_BULK).found())
        .containsExactly("it should not have been answered");
  }

  @Test
  void another_text_is_found() {
    assertThat(
            Scene.sent(RequestKind.CHAT)
                .tokens(Scene.SENT, 0, 3, "one two four")
                .end(Scene.SENT, 3, "", 3)
                .found())
        .singleElement()
        .asString()
        .startsWith("its text is not: choice 0 from character 8 on");
  }

  @Test
  void tokens_that_are_not_as_many_as_told_are_found() {
    assertThat(
            Scene.sent(RequestKind.CHAT)
                .tokens(Scene.SENT, 0, 3, Scene.TEXT)
                .end(Scene.SENT, 3, "", 4)
                .found())
        .containsExactly("3 tokens were counted and 4 told of 3");
  }

  @Test
  void a_request_that_goes_on_long_after_its_cancellation_is_found() {
    Scene scene = Scene.sent(RequestKind.CANCELLED);
    scene.log.cancelled(Scene.SENT);
    assertThat(scene.error(Scene.SENT + 7_000, "cancelled").found())
        .containsExactly("it ended 7000 ms after it was cancelled");
  }

  @Test
  void readers_that_disagree_are_found() {
    Scene late = Scene.answered(RequestKind.CHAT);
    late.late.at(PlannedRequest.REPLIES).lines().removeFirst();
    assertThat(late.found()).containsExactly("who reads late sees other records");

    Scene inBetween = Scene.answered(RequestKind.CHAT);
    inBetween.reattached = Optional.of(new Reading());
    assertThat(inBetween.found()).containsExactly("who came in mid-stream read something else");

    Scene sdk = Scene.answered(RequestKind.CHAT);
    sdk.told = Optional.of(new SdkAnswer("one", 1, "one", Optional.empty(), true));
    assertThat(sdk.found())
        .containsExactly(
            "the SDK's caller got another text: one",
            "the SDK's caller was streamed 1 tokens: one");

    sdk.told = Optional.of(new SdkAnswer("", 0, "", Optional.of("engine_error"), true));
    assertThat(sdk.found()).containsExactly("the SDK's caller was told engine_error");
  }

  @Test
  void a_request_that_waits_for_minutes_for_its_first_word_is_found() {
    assertThat(
            Scene.sent(RequestKind.CHAT)
                .tokens(Scene.SENT + 61_000, 0, 3, Scene.TEXT)
                .end(Scene.SENT + 62_000, 3, "", 3)
                .check())
        .singleElement()
        .matches(Violation::isLate)
        .extracting(Violation::what)
        .isEqualTo("it waited 61000 ms for its first word");
  }

  @Test
  void an_unknown_model_is_waited_for_only_after_another_router_has_taken_over() {
    Scene scene =
        Scene.sent(RequestKind.UNKNOWN_MODEL)
            .error(DEADLINE, "deadline_exceeded")
            .letter("deadline_exceeded");
    assertThat(scene.found()).isNotEmpty();

    scene.blows.add(
        new InjectedFault(Scene.SENT - 9_000, Scene.SENT, "kill", List.of(Target.router(1))));
    assertThat(scene.found()).isEmpty();
  }

  @Test
  void a_slow_pool_excuses_no_end_that_says_nothing_of_what_is_wrong() {
    assertThat(
            Scene.sent(RequestKind.POISONOUS)
                .error(DEADLINE, "deadline_exceeded")
                .letter("deadline_exceeded")
                .check())
        .singleElement()
        .matches(violation -> !violation.isLate());
    assertThat(
            Scene.sent(RequestKind.CHAT)
                .tokens(Scene.SENT, 0, 1, "one ")
                .error(DEADLINE, "deadline_exceeded")
                .letter("deadline_exceeded")
                .check())
        .singleElement()
        .matches(Violation::isLate);
  }

  @Test
  void a_prompt_that_takes_too_many_workers_with_it_is_found() {
    Scene scene =
        Scene.sent(RequestKind.POISONOUS).error(Scene.SENT, "worker_lost").letter("worker_lost");
    scene.workersKilled = Ending.MOST_WORKERS_KILLED;
    assertThat(scene.check()).isEmpty();

    scene.workersKilled++;
    assertThat(scene.found()).containsExactly("4 workers died of it");
  }
}
