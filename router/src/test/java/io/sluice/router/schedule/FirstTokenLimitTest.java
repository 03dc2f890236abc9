package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.TestWorker;
import io.sluice.router.request.RequestState.Ending;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Requests that say how soon they want their first token. */
class FirstTokenLimitTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** It computes 1,000 tokens of a prompt in a second. */
  private final TestWorker worker = new TestWorker("w1").slots(4).pace(1_000, 10, 0);

  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void whatNoWorkerCanBeginInTimeIsRefusedAtOnce() {
    // Given
    router.join(worker);
    task.request(new TestRequest("usual"));

    // When
    task.request(wanted("late", 3_000));
    task.request(wanted("in-time", 1_500));
    task.request(new TestRequest("patient").promptTokens(3_000));

    // Then
    assertThat(task.effects.requests()).containsExactly("usual", "in-time", "patient");
    assertThat(task.state("late"))
        .isInstanceOfSatisfying(
            Ending.class,
            ending -> {
              assertThat(ending.kind()).isEqualTo(ErrorKind.OVERLOADED);
              assertThat(ending.message()).contains("slo-ttft-ms");
              assertThat(ending.retryAfterMillis()).hasValue(1_110);
            });
  }

  @Test
  void whatWaitsIsRefusedWhenItsTimeIsOver() {
    // Given
    router.join(worker.slots(1));
    task.request(new TestRequest("usual"));
    task.request(wanted("waiting", 100));

    // When
    router.pass(SECOND);
    String before = task.stateName("waiting");
    router.pass(SECOND.multipliedBy(2));

    // Then
    assertThat(before).isEqualTo("pending");
    assertThat(task.stateName("waiting")).isEqualTo("ending");
  }

  @Test
  void whatAFallbackModelCanBeginInTimeIsNotRefused() {
    // Given
    router.join(worker);
    router.join(new TestWorker("mini").models("mini").pace(10_000, 10, 0));
    task.request(new TestRequest("usual"));

    // When
    task.request(wanted("late", 3_000).fallback("mini"));
    router.pass(SECOND);

    // Then
    assertThat(task.effects.requests()).containsExactly("usual", "late");
    assertThat(task.effects.assigned.getLast().fallbackModel()).contains("mini");
  }

  @Test
  void whenNothingWasSentForAWhileOneRequestIsSentWhateverIsExpected() {
    // Given
    router.join(worker);

    // When
    task.request(wanted("first", 3_000));
    task.request(wanted("second", 3_000));

    // Then
    assertThat(task.effects.requests()).containsExactly("first");
    assertThat(task.stateName("second")).isEqualTo("ending");
  }

  /** Its first token is wanted within 2 s, counted from when the task has settled. */
  private static TestRequest wanted(String id, long promptTokens) {
    return new TestRequest(id)
        .promptTokens(promptTokens)
        .firstTokenBy(VirtualRouter.START_EPOCH_MILLIS + 4_020);
  }
}
