package io.sluice.worker.intake;

import static io.sluice.worker.testing.ScriptedEngine.done;
import static io.sluice.worker.testing.ScriptedEngine.run;
import static io.sluice.worker.testing.ScriptedEngine.silence;
import static io.sluice.worker.testing.ScriptedEngine.stop;
import static io.sluice.worker.testing.ScriptedEngine.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.common.reply.ReplyKind;
import io.sluice.fleet.WorkerOrder;
import io.sluice.worker.testing.Surroundings;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class DrainTest {
  private static final String BODY = "{\"model\":\"m\",\"messages\":[],\"stream\":true}";

  private final Surroundings around = new Surroundings();
  private final RunningGenerations running = new RunningGenerations();

  @Test
  void requestsThatHaveNotStartedAreReturnedAtOnce() throws Exception {
    around.engine.plays(silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();

    Drain drain = drain(Duration.ofSeconds(15));
    drain.stop();

    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Returned(ReturnReason.DRAINING, 0));
    assertThat(drain.isDraining()).isTrue();
    assertThat(running.count()).isZero();
  }

  @Test
  void startedRequestsMayFinish() {
    var isDraining = new CountDownLatch(1);
    around.engine.plays(
        text("a", 1), run(() -> awaitLatch(isDraining)), text("b", 2), stop("stop", 2), done(1, 2));
    running.start(around.generation(1, "a", BODY));
    await().until(() -> !around.log.records().isEmpty());

    Drain drain = drain(Duration.ofSeconds(15));
    Thread stopping = Thread.ofVirtual().start(drain::stop);
    await().until(drain::isDraining);
    isDraining.countDown();
    await().until(() -> !stopping.isAlive());

    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
    assertThat(around.log.records().getLast().headers().kind()).isEqualTo(ReplyKind.FINAL);
  }

  @Test
  void unfinishedRequestsAreReturnedWithTheirTokensAfterTheGrace() throws Exception {
    around.engine.plays(text("a", 1), text("b", 2), silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();

    drain(Duration.ofMillis(20)).stop();

    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Returned(ReturnReason.DRAINING, 2));
  }

  @Test
  void anOperatorsDrainEmptiesTheWorkerAndKeepsItEmptyUntilItIsResumed() throws Exception {
    around.engine.plays(text("a", 1), text("b", 2), silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();
    Drain drain = drain(Duration.ofMillis(20));

    drain.apply(WorkerOrder.DRAIN);
    drain.apply(WorkerOrder.DRAIN);
    await().until(() -> running.count() == 0);

    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Returned(ReturnReason.DRAINING, 2));
    assertThat(drain.isDraining()).isTrue();
    drain.apply(WorkerOrder.RESUME);
    assertThat(drain.isDraining()).isFalse();
  }

  @Test
  void aDrainThatIsCancelledInTimeLetsRequestsContinue() throws Exception {
    var isResumed = new CountDownLatch(1);
    around.engine.plays(
        text("a", 1), run(() -> awaitLatch(isResumed)), text("b", 2), stop("stop", 2), done(1, 2));
    running.start(around.generation(1, "a", BODY));
    await().until(() -> !around.log.records().isEmpty());
    Drain drain = drain(Duration.ofSeconds(15));

    drain.apply(WorkerOrder.DRAIN);
    drain.apply(WorkerOrder.RESUME);
    isResumed.countDown();
    await().until(() -> running.count() == 0);

    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
  }

  @Test
  void anOperatorCanLessenTheTimeOfADrainThatHasBegun() throws Exception {
    around.engine.plays(text("a", 1), text("b", 2), silence());
    running.start(around.generation(1, "a", BODY));
    around.engine.awaitSilence();
    Drain drain = drain(Duration.ofMinutes(5));
    drain.apply(WorkerOrder.DRAIN);

    drain.apply(new WorkerOrder(true, Optional.empty(), Optional.of(Duration.ofMillis(20))));
    await().until(() -> running.count() == 0);

    assertThat(around.log.lastEvent()).isEqualTo(new Outcome.Returned(ReturnReason.DRAINING, 2));
    assertThat(drain.isDraining()).isTrue();
  }

  @Test
  void anOperatorDoesNotResumeAWorkerWhoseMachineIsAboutToGo() {
    Drain drain = drain(Duration.ofSeconds(15));
    drain.notice(Duration.ofSeconds(5));

    drain.apply(WorkerOrder.RESUME);
    assertThat(drain.isDraining()).isTrue();

    drain.noticeWithdrawn();
    assertThat(drain.isDraining()).isFalse();
  }

  @Test
  void aWorkerThatStopsIsNotResumed() {
    Drain drain = drain(Duration.ofSeconds(15));
    drain.apply(WorkerOrder.DRAIN);

    drain.stop();
    drain.apply(WorkerOrder.RESUME);

    assertThat(drain.isDraining()).isTrue();
  }

  private Drain drain(Duration grace) {
    return new Drain(running, grace, Duration.ofSeconds(10));
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
