package io.sluice.bench.torture.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Target;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DisruptionBudgetTest {
  private static final List<Target> ALL =
      List.of(Target.worker(1), Target.worker(2), Target.worker(3), Target.worker(4));

  private final DisruptionBudget budget = new DisruptionBudget(PoolSetup.STANDARD);

  @Test
  void allWorkersAreDisturbedOnlyWhileNoOtherIs() throws Exception {
    // Given
    budget.disrupt(List.of(Target.engine(2)));
    var isAllowed = new CountDownLatch(1);
    Thread all = waiting(ALL, isAllowed);
    assertThat(isAllowed.getCount()).isOne();

    // When
    budget.recovered(List.of(Target.engine(2)));

    // Then
    assertThat(isAllowed.await(20, TimeUnit.SECONDS)).isTrue();
    all.join();
    var isOneMore = new CountDownLatch(1);
    Thread one = waiting(List.of(Target.worker(1)), isOneMore);
    assertThat(isOneMore.getCount()).isOne();
    budget.recovered(ALL);
    one.join();
    assertThat(isOneMore.getCount()).isZero();
  }

  /** Returns when it waits, or has ended. */
  private Thread waiting(List<Target> targets, CountDownLatch done) {
    Thread thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    budget.disrupt(targets);
                    done.countDown();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    while (thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TERMINATED) {
      Thread.onSpinWait();
    }
    return thread;
  }
}
