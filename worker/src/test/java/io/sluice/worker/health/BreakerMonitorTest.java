package io.sluice.worker.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.fleet.FleetListener;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.WorkerOrder;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerCause;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.breaker.OperatorOverride;
import io.sluice.worker.engine.EngineCheck;
import io.sluice.worker.engine.dialect.EngineIdentity;
import io.sluice.worker.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class BreakerMonitorTest {
  private final ManualTime time = new ManualTime();
  private final MemoryRegistry registry = new MemoryRegistry();
  private final BreakerMonitor breaker = new BreakerMonitor("w", registry, time);
  private int leases;
  private long life;

  @Test
  void aFullCacheOpensAtOnceAndIsWrittenThrough() {
    probed(true, 0.89);

    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);
    assertThat(registry.stored.causes()).containsExactly(BreakerCause.MEMORY);

    probed(true, 0.80);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);

    probed(true, 0.79);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.CLOSED);
    assertThat(registry.stored).isEqualTo(breaker.state());
  }

  @Test
  void aWorkerThatWaitsForItsEngineHasNoBreakerOpen() {
    probed(false, 0);

    assertThat(breaker.phase()).isEqualTo(BreakerPhase.CLOSED);
    assertThat(registry.stored).isEqualTo(BreakerState.NEW);
  }

  @Test
  void anEngineThatDiesOpensAndIsProbedWhenItIsBack() {
    probed(true, 0.1);
    probed(false, 0.1);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);

    probed(true, 0.1);

    assertThat(breaker.phase()).isEqualTo(BreakerPhase.HALF_OPEN);
  }

  @Test
  void anEngineThatAnotherHasReplacedUnseenIsProbedAtOnce() {
    probed(true, 0.1);
    repeat(5, this::failed);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);

    life++;
    probed(true, 0.1);

    assertThat(breaker.phase()).isEqualTo(BreakerPhase.HALF_OPEN);
  }

  @Test
  void fiveFailuresInARowOpenForHalfAMinuteAndThreeProbesClose() {
    repeat(5, this::failed);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);

    time.advance(Duration.ofMillis(29_999));
    probed(true, 0.1);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);

    time.advance(Duration.ofMillis(1));
    probed(true, 0.1);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.HALF_OPEN);

    repeat(3, this::completed);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.CLOSED);
    assertThat(registry.stored).isEqualTo(breaker.state());
  }

  @Test
  void probesThatStreamWellCloseBeforeTheyEnd() {
    engineReturns();

    streams("a", "b");
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.HALF_OPEN);

    streams("a", "b", "c");
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.CLOSED);
    assertThat(registry.stored).isEqualTo(breaker.state());
  }

  @Test
  void aProbeSucceedsOnlyOnce() {
    engineReturns();
    streams("a", "b");

    streams("a", "b");
    ended("a", new Outcome.Completed("stop", 1, 1, 1));
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.HALF_OPEN);

    completed();
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.CLOSED);
  }

  @Test
  void anAnswerThatStreamedBeforeIsNotAProbe() {
    repeat(5, this::failed);
    streams("a", "b");
    time.advance(Duration.ofSeconds(30));
    streams("a", "b");

    streams("a", "b");
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.HALF_OPEN);

    streams("a", "b", "new");
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.CLOSED);
  }

  @Test
  void answersThatLeaveNoRoomForProbesCountAsProbes() {
    repeat(5, this::failed);
    streams("a", "b", "c");
    time.advance(Duration.ofSeconds(30));
    streams("a", "b", "c");

    streams("a", "b", "c");

    assertThat(breaker.phase()).isEqualTo(BreakerPhase.CLOSED);
  }

  @Test
  void aProbeThatStreamedWellAndFailsOpensAgain() {
    engineReturns();
    streams("a", "b");

    ended("a", failed(FailureCode.STALL));

    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);
  }

  @Test
  void aSuccessBetweenFailuresEndsTheRow() {
    repeat(4, this::failed);
    completed();
    repeat(4, this::failed);

    assertThat(breaker.phase()).isEqualTo(BreakerPhase.CLOSED);
  }

  @Test
  void failuresThatAreNotTheEnginesFaultAreNotEvidence() {
    repeat(6, () -> ended(failed(FailureCode.ENGINE_OVERLOADED)));
    repeat(6, () -> ended(new Outcome.Rejected(ErrorKind.INVALID_REQUEST, 400, "bad", true)));
    repeat(6, () -> ended(failed(FailureCode.REPLY_UNWRITABLE)));
    repeat(6, () -> ended(new Outcome.Expired()));

    assertThat(breaker.state()).isEqualTo(BreakerState.NEW);
    assertThat(registry.calls).isZero();
  }

  @Test
  void withoutRedisTheWorkerJudgesItsEngineAndTellsWhenRedisIsBack() {
    registry.isAway = true;
    repeat(5, this::failed);
    probed(true, 0.9);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);

    registry.isAway = false;
    probed(true, 0.9);

    assertThat(registry.stored).isEqualTo(breaker.state());
    assertThat(registry.stored.causes())
        .containsExactly(BreakerCause.MEMORY, BreakerCause.FAILURES);
  }

  @Test
  void theStateIsWrittenAgainAfterRedisLostIt() {
    repeat(5, this::failed);
    BreakerState before = breaker.state();
    registry.stored = BreakerState.NEW;

    probed(true, 0.1);

    assertThat(registry.stored).isEqualTo(before);
  }

  @Test
  void anOperatorsWordReachesTheWorkerAndOutlivesARedisOutage() {
    probed(true, 0.1);
    registry.others(new BreakerEvent.Overridden(OperatorOverride.FORCED_OPEN, "fan"), time);
    probed(true, 0.1);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);

    registry.isAway = true;
    probed(true, 0.95);
    registry.isAway = false;
    probed(true, 0.95);

    assertThat(registry.stored.operator()).isEqualTo(OperatorOverride.FORCED_OPEN);
    assertThat(registry.stored.causes())
        .containsExactly(BreakerCause.OPERATOR, BreakerCause.MEMORY);
  }

  @Test
  void aWordThatWasTakenBackWhileTheWorkerWasAwayStaysTakenBack() {
    registry.others(new BreakerEvent.Overridden(OperatorOverride.FORCED_OPEN, "fan"), time);
    probed(true, 0.1);
    registry.isAway = true;
    probed(true, 0.95);
    registry.others(new BreakerEvent.Overridden(OperatorOverride.AUTO, ""), time);
    registry.isAway = false;

    probed(true, 0.1);

    assertThat(breaker.phase()).isEqualTo(BreakerPhase.CLOSED);
    assertThat(registry.stored).isEqualTo(breaker.state());
  }

  @Test
  void aRestartedWorkerIsProbedForWhatAnEarlierProcessFailedAt() {
    registry.others(new BreakerEvent.Tripped(), time);

    probed(true, 0.1);

    assertThat(breaker.phase()).isEqualTo(BreakerPhase.HALF_OPEN);
  }

  @Test
  void aWorkerThatHasNotHeardWhatAnEarlierProcessLeftLetsOnlyProbesThrough() {
    // Given
    registry.others(new BreakerEvent.Tripped(), time);
    registry.isSlow = true;

    // When
    probed(true, 0.1);
    BreakerPhase unheard = breaker.phase();
    registry.answer();

    // Then
    assertThat(unheard).isEqualTo(BreakerPhase.HALF_OPEN);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.HALF_OPEN);
  }

  @Test
  void aWorkerIsClosedOnceRedisHasNothingAgainstItOrIsAway() {
    // Given
    registry.isSlow = true;
    BreakerPhase atFirst = breaker.phase();
    probed(true, 0.1);
    BreakerPhase asked = breaker.phase();
    registry.answer();
    var withoutRedis = new MemoryRegistry();
    withoutRedis.isAway = true;
    var alone = new BreakerMonitor("w", withoutRedis, time);

    // When
    alone.probed(state(true, 0.1), Set.of());

    // Then
    assertThat(atFirst).isEqualTo(BreakerPhase.HALF_OPEN);
    assertThat(asked).isEqualTo(BreakerPhase.HALF_OPEN);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.CLOSED);
    assertThat(alone.phase()).isEqualTo(BreakerPhase.CLOSED);
  }

  @Test
  void aRestartedWorkerKeepsToAnOperatorsWord() {
    registry.others(new BreakerEvent.Overridden(OperatorOverride.FORCED_OPEN, "me"), time);

    probed(true, 0.1);

    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);
  }

  @Test
  void failuresBeforeRedisWasAvailableAreNotTakenForThoseOfAnEarlierProcess() {
    registry.isAway = true;
    repeat(5, this::failed);
    time.advance(Duration.ofSeconds(1));
    registry.isAway = false;

    probed(true, 0.1);

    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);
    assertThat(registry.stored).isEqualTo(breaker.state());
  }

  @Test
  void eventsDuringACallAreSentAfterIt() {
    registry.isSlow = true;
    failed();
    repeat(4, this::failed);
    assertThat(registry.calls).isEqualTo(1);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.OPEN);

    registry.others(new BreakerEvent.Overridden(OperatorOverride.FORCED_CLOSED, "me"), time);
    registry.answer();
    registry.answer();

    assertThat(registry.calls).isEqualTo(2);
    assertThat(breaker.state()).isEqualTo(registry.stored);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.CLOSED);
    assertThat(breaker.state().circuit().phase()).isEqualTo(BreakerPhase.OPEN);
  }

  private void probed(boolean up, double usage) {
    breaker.probed(state(up, usage), Set.of());
  }

  private void streams(String... leases) {
    breaker.probed(state(true, 0.1), Set.of(leases));
  }

  private void engineReturns() {
    probed(true, 0.1);
    probed(false, 0.1);
    probed(true, 0.1);
    assertThat(breaker.phase()).isEqualTo(BreakerPhase.HALF_OPEN);
  }

  private EngineState state(boolean up, double usage) {
    return new EngineState(
        up ? EngineCheck.Condition.UP : EngineCheck.Condition.DEAD,
        life,
        EngineIdentity.UNKNOWN,
        1,
        0,
        new EngineLoad(OptionalDouble.of(usage), 0, 0, 0, List.of(), OptionalDouble.empty()),
        EngineTotals.UNKNOWN,
        time.instant());
  }

  private void failed() {
    ended(failed(FailureCode.STALL));
  }

  private void completed() {
    ended(new Outcome.Completed("stop", 1, 1, 1));
  }

  private void ended(Outcome.Event end) {
    ended("lease-" + leases++, end);
  }

  private void ended(String lease, Outcome.Event end) {
    breaker.outcome(new Outcome(new LeaseRef("r", 1, lease, "w", "i"), end));
  }

  private static Outcome.Failed failed(FailureCode code) {
    return new Outcome.Failed(code, "broken", 0);
  }

  private static void repeat(int times, Runnable action) {
    for (int i = 0; i < times; i++) {
      action.run();
    }
  }

  private static final class MemoryRegistry implements FleetRegistry {
    private BreakerState stored = BreakerState.NEW;
    private final Deque<Runnable> inFlight = new ArrayDeque<>();
    private boolean isAway;
    private boolean isSlow;
    private int calls;

    void others(BreakerEvent event, ManualTime time) {
      stored = Breaker.next(stored, event, time.millis());
    }

    void answer() {
      inFlight.remove().run();
    }

    @Override
    public CompletionStage<BreakerState> applyToBreaker(
        String workerId, List<BreakerEvent.Timed> events) {
      calls++;
      if (isAway) {
        return CompletableFuture.failedFuture(new IllegalStateException("away"));
      }
      CompletableFuture<BreakerState> result = new CompletableFuture<>();
      List<BreakerEvent.Timed> sent = List.copyOf(events);
      inFlight.add(
          () -> {
            stored = Breaker.next(stored, sent);
            result.complete(stored);
          });
      if (!isSlow) {
        answer();
      }
      return result;
    }

    @Override
    public CompletionStage<Published> publish(WorkerSnapshot snapshot) {
      throw new UnsupportedOperationException("a breaker has no snapshot");
    }

    @Override
    public CompletionStage<Void> order(String workerId, WorkerOrder order) {
      throw new UnsupportedOperationException("a breaker has no snapshot");
    }

    @Override
    public CompletionStage<Void> remove(String workerId, String incarnation) {
      throw new UnsupportedOperationException("a breaker has no snapshot");
    }

    @Override
    public CompletionStage<FleetReading> readAll() {
      throw new UnsupportedOperationException("a breaker has no snapshot");
    }

    @Override
    public AutoCloseable subscribe(FleetListener listener) {
      throw new UnsupportedOperationException("a breaker has no snapshot");
    }
  }
}
