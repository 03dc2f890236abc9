package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is served by another model than was asked for, and when. */
class SchedulerFallbackTest {
  /** The back-offs, each longer by half. */
  private static final Duration LONGEST_PATIENCE = Duration.ofMillis(2_120);

  /** The back-offs, each shorter by half. */
  private static final Duration SHORTEST_PATIENCE = Duration.ofMillis(680);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void withoutAnyPrimaryTheFallbackServesAfterTheBackOffs() {
    // Given
    router.join(new TestWorker("mini").models("mini"));
    task.request(new TestRequest("a").fallback("mini"));

    // When
    router.pass(SHORTEST_PATIENCE);
    assertThat(task.effects.assigned).isEmpty();
    router.pass(LONGEST_PATIENCE.minus(SHORTEST_PATIENCE));

    // Then
    assertThat(task.effects.workers()).containsExactly("mini");
    assertThat(task.effects.assigned.getFirst().fallbackModel()).contains("mini");
    assertThat(router.events.log).contains("fell back a to mini");
    assertThat(router.parts().backlog().pending()).isZero();
  }

  @Test
  void aPrimaryWithRoomIsNotPassedOver() {
    // Given
    router.join(new TestWorker("mini").models("mini"));
    router.join(new TestWorker("w1"));

    // When
    task.request(new TestRequest("a").fallback("mini"));

    // Then
    assertThat(task.effects.workers()).containsExactly("w1");
    assertThat(task.effects.assigned.getFirst().isFallback()).isFalse();
  }

  @Test
  void aPrimaryThatGetsRoomMeanwhileServesTheRequest() {
    // Given
    router.join(new TestWorker("mini").models("mini"));
    task.request(new TestRequest("a").fallback("mini"));
    router.pass(Duration.ofMillis(400));

    // When
    router.join(new TestWorker("w1"));
    router.pass(LONGEST_PATIENCE);

    // Then
    assertThat(task.effects.workers()).containsExactly("w1");
  }

  @Test
  void fullAndBrokenPrimariesShedTheirLoadAsWell() {
    // Given
    router.join(new TestWorker("mini").models("mini"));
    router.join(new TestWorker("full").slots(1));
    router.join(new TestWorker("broken").engineUp(false));
    task.start(new TestRequest("running"));
    task.effects.clear();

    // When
    task.request(new TestRequest("a").fallback("mini"));
    router.pass(LONGEST_PATIENCE);

    // Then
    assertThat(task.effects.workers()).containsExactly("mini");
  }

  @Test
  void aPromptThatIsTooLongForTheFallbackWaitsWithoutHoldingUpAShorterOne() {
    // Given
    router.join(new TestWorker("mini").models("mini").maxModelLen(4_096));
    task.request(new TestRequest("long").fallback("mini").promptTokens(5_000));
    task.request(new TestRequest("short").fallback("mini"));

    // When
    router.pass(LONGEST_PATIENCE);

    // Then
    assertThat(task.effects.requests()).containsExactly("short");
    assertThat(task.stateName("long")).isEqualTo("pending");
  }

  @Test
  void whoForbidsAFallbackWaitsUntilTheDeadline() {
    // Given
    router.join(new TestWorker("mini").models("mini"));
    task.request(new TestRequest("a").deadlineMillis(10_000));

    // When
    router.pass(Duration.ofSeconds(11));

    // Then
    assertThat(task.effects.assigned).isEmpty();
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("deadline_exceeded");
  }

  @Test
  void ifNeitherModelHasRoomTheDeadlineEndsIt() {
    // When
    task.request(new TestRequest("a").fallback("mini").deadlineMillis(5_000));
    router.pass(Duration.ofSeconds(6));

    // Then
    assertThat(task.effects.terminals.getFirst().code()).isEqualTo("deadline_exceeded");
  }

  @Test
  void aShortDeadlineLeavesHalfOfItsTimeToTheFallback() {
    // Given
    router.join(new TestWorker("mini").models("mini"));
    task.request(
        new TestRequest("a").fallback("mini").deadlineMillis(router.elapsedMillis() + 600));

    // When
    router.pass(Duration.ofMillis(320));

    // Then
    assertThat(task.effects.workers()).containsExactly("mini");
  }

  @Test
  void whatFailsOnTheFallbackGoesToThePrimaryFirst() {
    // Given
    router.join(new TestWorker("mini").models("mini"));
    task.request(new TestRequest("a").fallback("mini"));
    router.pass(LONGEST_PATIENCE);
    LeaseRef lease = task.effects.lastLease();
    router.join(new TestWorker("w1"));

    // When
    task.outcome(lease, TestWorker.failure(0));
    router.pass(Duration.ofMillis(100));

    // Then
    assertThat(task.effects.workers()).containsExactly("mini", "w1");
    assertThat(task.effects.assigned).last().matches(assignment -> !assignment.isFallback());
  }

  @Test
  void whatFailsOnTheFallbackComesBackToItIfThereIsNoPrimary() {
    // Given
    router.join(new TestWorker("mini").models("mini"));
    task.request(new TestRequest("a").fallback("mini"));
    router.pass(LONGEST_PATIENCE);

    // When
    task.outcome(task.effects.lastLease(), TestWorker.failure(0));
    router.pass(LONGEST_PATIENCE.plusMillis(200));

    // Then
    assertThat(task.effects.workers()).containsExactly("mini", "mini");
    assertThat(task.effects.assigned).allMatch(Assignment::isFallback);
  }

  @Test
  void oneThatIsCancelledWhileItWaitsDoesNotFallBack() {
    // Given
    router.join(new TestWorker("mini").models("mini"));
    task.request(new TestRequest("a").fallback("mini"));

    // When
    task.control(new Control.Cancel("a"));
    router.pass(LONGEST_PATIENCE);

    // Then
    assertThat(task.effects.assigned).isEmpty();
  }

  @Test
  void aCrashDoesNotForgetThatItMayFallBack() {
    // Given
    router.join(new TestWorker("mini").models("mini"));
    task.request(new TestRequest("a").fallback("mini"));

    // When
    router.crash();
    router.pass(LONGEST_PATIENCE.plusSeconds(3));

    // Then
    assertThat(task.effects.workers()).containsExactly("mini");
  }

  @Test
  void aFloodThatWaitsForItsFallbackDoesNotHoldUpOtherModels() {
    // Given
    router.join(new TestWorker("mini").models("mini").slots(1));
    for (int i = 0; i < 50; i++) {
      task.request(new TestRequest("a" + i).fallback("mini"));
    }
    router.pass(LONGEST_PATIENCE);
    router.join(new TestWorker("w2").models("qwen"));

    // When
    task.request(new TestRequest("other").model("qwen").priority(Priority.BULK));

    // Then
    assertThat(task.effects.workers()).containsExactly("mini", "w2");
  }

  @Test
  void anOptionThatEveryEngineOfTheModelRefusesIsLeftOut() {
    // Given
    router.join(new TestWorker("w1").refuses("best_of"));

    // When
    task.request(new TestRequest("a").needs("best_of"));

    // Then
    assertThat(task.effects.workers()).containsExactly("w1");
    assertThat(router.events.log).contains("corrected a [best_of]");
  }
}
