package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Priority;
import io.sluice.router.TestWorker;
import io.sluice.router.request.RequestState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What nobody serves is refused, and nothing else. */
class SchedulerServedModelsTest {
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final Duration STEP = Duration.ofMillis(100);
  private static final long LONG_DEADLINE_MILLIS = Duration.ofHours(20).toMillis();

  private final VirtualRouter router = VirtualRouter.withModelGrace(GRACE);
  private final VirtualTask task = router.newTask();

  @Test
  void aModelThatNoWorkerServesIsRefusedAfterTheGrace() {
    // Given
    router.join(new TestWorker("w1"));
    router.pass(Duration.ofMinutes(1), STEP);
    TestRequest request = new TestRequest("r").model("typo");
    send(request);

    // When
    router.pass(GRACE.minusMillis(200), STEP);
    String within = task.stateName("r");
    router.pass(Duration.ofMillis(300), STEP);

    // Then
    assertThat(within).isEqualTo("pending");
    assertThat(task.effects.log)
        .containsExactly("dead-letter:model_not_found", "terminal:model_not_found");
    assertThat(messageOf("r")).contains("'typo'", "llama");
  }

  @Test
  void aWorkerThatJoinsWithinTheGraceServesIt() {
    // Given
    router.join(new TestWorker("w1"));
    router.pass(Duration.ofMinutes(1), STEP);
    send(new TestRequest("r").model("late"));

    // When
    router.pass(Duration.ofSeconds(9), STEP);
    router.join(new TestWorker("w2").models("base", "late"));
    router.pass(Duration.ofSeconds(5), STEP);

    // Then
    assertThat(task.effects.requests()).containsExactly("r");
  }

  @Test
  void aRouterThatHasJustStartedRefusesNothingBeforeItKnowsTheFleetForTheGrace() {
    // Given
    send(new TestRequest("r").model("typo"));
    router.join(new TestWorker("loading").engineUp(false).models());
    router.pass(Duration.ofSeconds(30), STEP);
    String whileAnEngineLoads = task.stateName("r");

    // When
    router.join(new TestWorker("loading"));
    router.pass(Duration.ofSeconds(9), STEP);
    String known = task.stateName("r");
    router.pass(Duration.ofSeconds(12), STEP);

    // Then
    assertThat(whileAnEngineLoads).isEqualTo("pending");
    assertThat(known).isEqualTo("pending");
    assertThat(task.effects.log).contains("terminal:model_not_found");
  }

  @Test
  void whileRedisIsAwayOrNoWorkerIsThereNothingIsRefused() {
    // Given
    router.join(new TestWorker("w1"));
    router.pass(Duration.ofMinutes(1), STEP);
    router.registryAway();
    send(new TestRequest("r").model("typo"));
    router.pass(Duration.ofSeconds(20), STEP);
    String withoutRedis = task.stateName("r");

    // When
    router.registryBack();
    router.leave("w1");
    router.pass(Duration.ofSeconds(20), STEP);

    // Then
    assertThat(withoutRedis).isEqualTo("pending");
    assertThat(task.stateName("r")).isEqualTo("pending");
  }

  @Test
  void aModelWhoseLastWorkerLeftIsWaitedForForAnHour() {
    // Given
    router.join(new TestWorker("w1"));
    router.join(new TestWorker("w2").models("restarting"));
    router.pass(Duration.ofMinutes(1), STEP);
    router.leave("w2");

    // When
    router.pass(Duration.ofMinutes(50), Duration.ofSeconds(1));
    send(new TestRequest("waits").model("restarting"));
    router.pass(Duration.ofMinutes(1), STEP);
    String remembered = task.stateName("waits");
    router.pass(Duration.ofMinutes(15), Duration.ofSeconds(1));
    send(new TestRequest("refused").model("restarting"));
    router.pass(Duration.ofMinutes(1), STEP);

    // Then
    assertThat(remembered).isEqualTo("pending");
    assertThat(task.stateName("refused")).isEqualTo("ending");
  }

  @Test
  void whatWaitedForItsWorkerUnderAnotherRouterGoesOnWaiting() {
    // Given
    router.join(new TestWorker("w1"));
    router.join(new TestWorker("w2").models("restarting"));
    router.pass(Duration.ofMinutes(1), STEP);
    router.leave("w2");
    send(new TestRequest("r").model("restarting"));
    router.pass(Duration.ofMinutes(1), STEP);

    // When
    router.crash();
    router.pass(Duration.ofMinutes(5), STEP);

    // Then
    assertThat(task.stateName("r")).isEqualTo("pending");
  }

  @Test
  void aPromptThatNoWorkerOfTheModelTakesIsTooLong() {
    // Given
    router.join(new TestWorker("short").maxModelLen(2_048));
    router.join(new TestWorker("long").maxModelLen(8_192));
    router.pass(Duration.ofMinutes(1), STEP);

    // When
    send(new TestRequest("fits").promptTokens(8_000));
    send(new TestRequest("too long").promptTokens(10_000));
    router.pass(GRACE.plusSeconds(1), STEP);

    // Then
    assertThat(task.effects.requests()).containsExactly("fits");
    assertThat(task.effects.log).contains("terminal:context_length_exceeded");
    assertThat(messageOf("too long")).contains("8192", "10100");
  }

  @Test
  void aConfiguredModelIsWaitedForUntilTheDeadline() {
    // Given
    router.join(new TestWorker("w1"));
    router.pass(Duration.ofMinutes(1), STEP);

    // When
    send(new TestRequest("r").model("configured"));
    router.pass(Duration.ofMinutes(10), STEP);

    // Then
    assertThat(task.stateName("r")).isEqualTo("pending");
  }

  @Test
  void aFallbackThatIsServedStandsInForAModelThatIsNot() {
    // Given
    router.join(new TestWorker("full").slots(0));
    router.pass(Duration.ofMinutes(1), STEP);

    // When
    send(new TestRequest("stands in").model("typo").fallback("llama"));
    send(new TestRequest("neither").model("typo").fallback("another"));
    router.pass(Duration.ofMinutes(1), STEP);

    // Then
    assertThat(task.stateName("stands in")).isEqualTo("pending");
    assertThat(task.stateName("neither")).isEqualTo("ending");
  }

  @Test
  void bulkThatEnteredIsRefusedTheSameWay() {
    // Given
    router.join(new TestWorker("w1"));
    router.pass(Duration.ofMinutes(1), STEP);

    // When
    send(new TestRequest("r").model("typo").priority(Priority.BULK));
    router.pass(GRACE.plusSeconds(1), STEP);

    // Then
    assertThat(task.effects.log).contains("terminal:model_not_found");
  }

  private String messageOf(String requestId) {
    return ((RequestState.Ending) task.state(requestId)).message();
  }

  /** Appended now, and wanted for hours. */
  private void send(TestRequest request) {
    task.request(
        request
            .appendedMillis(router.elapsedMillis())
            .deadlineMillis(router.elapsedMillis() + LONG_DEADLINE_MILLIS));
  }
}
