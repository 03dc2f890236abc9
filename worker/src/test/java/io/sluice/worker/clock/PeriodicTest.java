package io.sluice.worker.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(10)
class PeriodicTest {
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noFailureEndsIt(boolean isError) throws Exception {
    var times = new CountDownLatch(3);

    try (var periodic =
        new Periodic(
            "test",
            Duration.ofMillis(1),
            () -> {
              times.countDown();
              if (isError) {
                throw new NoClassDefFoundError("broken");
              }
              throw new IllegalStateException("broken");
            })) {
      periodic.start();

      assertThat(times.await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void itsEndInterruptsWhatItDoes() throws Exception {
    var begun = new CountDownLatch(1);
    var interrupted = new CountDownLatch(1);
    var periodic =
        new Periodic(
            "test",
            Duration.ofMillis(1),
            () -> {
              begun.countDown();
              try {
                Thread.sleep(Duration.ofMinutes(1));
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
            });
    periodic.start();
    begun.await();

    periodic.close();

    assertThat(interrupted.await(5, TimeUnit.SECONDS)).isTrue();
  }
}
