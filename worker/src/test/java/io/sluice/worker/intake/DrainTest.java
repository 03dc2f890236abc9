package io.sluice.worker.intake;

import static io.sluice.worker.testing.ScriptedEngine.done;
import static io.sluice.worker.testing.ScriptedEngine.run;
import static io.sluice.worker.testing.ScriptedEngine.silence;
import static io.sluice.worker.testing.ScriptedEngine.stop;
import static io.sluice.worker.testing.ScriptedEngine.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.breaker.BreakerPhase;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.common.reply.ReplyKind;
import io.sluice.worker.testing.Surroundings;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class DrainTest {
  private static final String BODY = "{\"model\":\"m\",\"messages\":[],\"stream\":true}";

  private final Surroundings around = new Surroundings();
  private final RunningGenerations running = new RunningGenerations();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final Admission admission =
      new Admission(8, draining, () -> true, () -> BreakerPhase.CLOSED);

  @Test
  void whatHasNotStartedGoesBackAtOnce() throws Exception {
    around.engine.plays(silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();

    drain(Duration.ofSeconds(15));

    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Returned(ReturnReason.DRAINING, 0));
    assertThat(draining).isTrue();
    assertThat(running.count()).isZero();
  }

  @Test
  void whatHasStartedMayFinish() {
    var isDraining = new CountDownLatch(1);
    around.engine.plays(
        text("a", 1), run(() -> awaitLatch(isDraining)), text("b", 2), stop("stop", 2), done(1, 2));
    running.start(around.generation(1, "a", BODY));
    await().until(() -> !around.log.records().isEmpty());

    Thread drain = Thread.ofVirtual().start(() -> drain(Duration.ofSeconds(15)));
    await().until(draining::get);
    isDraining.countDown();
    await().until(() -> !drain.isAlive());

    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
    assertThat(around.log.records().getLast().headers().kind()).isEqualTo(ReplyKind.FINAL);
  }

  @Test
  void whatIsNotFinishedWithinTheGraceGoesBackWithItsTokens() throws Exception {
    around.engine.plays(text("a", 1), text("b", 2), silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();

    drain(Duration.ofMillis(20));

    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Returned(ReturnReason.DRAINING, 2));
  }

  private void drain(Duration grace) {
    new Drain(running, admission, grace, Duration.ofSeconds(10)).run();
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
