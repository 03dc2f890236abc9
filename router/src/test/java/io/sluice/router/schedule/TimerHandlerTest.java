package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TimerHandlerTest {
  private final VirtualRouter router = new VirtualRouter();
  private final VirtualTask task = router.settledTask();

  @Test
  void aTimerThatThrowsHoldsUpNoOtherAndIsTriedAgain() {
    // Given requests whose deadlines pass together, and a bug that shows at the first of them
    long deadline = router.elapsedMillis() + 100;
    for (String id : new String[] {"a", "b", "c"}) {
      task.request(new TestRequest(id).deadlineMillis(deadline));
    }
    task.effects.onEnd =
        requestId -> {
          if (requestId.equals("a")) {
            throw new IllegalStateException("a bug");
          }
        };

    // When
    assertThatThrownBy(() -> router.pass(Duration.ofMillis(200))).hasMessage("a bug");

    // Then
    assertThat(task.effects.terminals)
        .extracting(terminal -> terminal.metadata().requestId())
        .containsExactly("b", "c");

    // When it shows no longer
    task.effects.onEnd = requestId -> {};
    router.pass(Duration.ofSeconds(2));

    // Then
    assertThat(task.effects.terminals)
        .extracting(terminal -> terminal.metadata().requestId())
        .containsExactly("b", "c", "a");
  }

  @Test
  void aTimerThatThrowsAgainAndAgainIsTriedLessAndLessOften() {
    // Given
    task.request(new TestRequest("a").deadlineMillis(router.elapsedMillis() + 100));
    AtomicInteger tries = new AtomicInteger();
    task.store.onPut =
        request -> {
          tries.incrementAndGet();
          throw new IllegalStateException("a bug");
        };

    // When
    passInSpiteOfFailures(Duration.ofMinutes(5));

    // Then after 0, 1, 3, 7, 15, 31, 63, 123, 183, 243 s
    assertThat(tries).hasValue(10);

    // When it shows no longer
    task.store.onPut = request -> {};
    router.pass(Duration.ofMinutes(1));

    // Then
    assertThat(task.effects.terminals).hasSize(1);
  }

  private void passInSpiteOfFailures(Duration duration) {
    long end = router.elapsedMillis() + duration.toMillis();
    while (router.elapsedMillis() < end) {
      try {
        router.pass(Duration.ofMillis(end - router.elapsedMillis()));
      } catch (IllegalStateException e) {
        assertThat(e).hasMessage("a bug");
      }
    }
  }
}
