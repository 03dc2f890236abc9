package io.sluice.router.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.FleetReading;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.router.TestWorker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KnownWorkersTest {
  private final KnownWorkers workers = new KnownWorkers(FleetWatcher.NONE, at(0));

  @Test
  void aWorkerIsKnownAsSoonAsItIsHeard() {
    // When
    workers.heard(snapshot(1), at(5));

    // Then
    assertThat(workers.all()).containsEntry("w1", new WorkerView(snapshot(1), at(5)));
  }

  @Test
  void workersAreInTheOrderOfTheirIdsWhoeverIsHeardFirst() {
    // When
    IntStream.of(7, 30, 2, 5)
        .forEach(i -> workers.heard(new TestWorker("w" + i).snapshot(), at(i)));

    // Then
    assertThat(workers.all().keySet()).containsExactly("w2", "w30", "w5", "w7");
    assertThat(new FleetSnapshot(workers.all(), true).workers().values())
        .extracting(view -> view.snapshot().id())
        .containsExactly("w2", "w30", "w5", "w7");
  }

  @Test
  void aReadingBringsBackWhatAnEventDidNotTell() {
    // Given
    workers.heard(snapshot(1), at(0));

    // When
    workers.read(reading(snapshot(3)), at(250), at(251));

    // Then
    assertThat(workers.all()).containsEntry("w1", new WorkerView(snapshot(3), at(251)));
  }

  @Test
  void aSequenceThatStandsStillKeepsTheTimeAtWhichItWasFirstHeard() {
    // Given
    workers.read(reading(snapshot(7)), at(0), at(1));

    // When
    workers.read(reading(snapshot(7)), at(250), at(251));
    workers.heard(snapshot(7), at(300));

    // Then
    assertThat(workers.all().get("w1").heardAtNanos()).isEqualTo(at(1));
  }

  @Test
  void anOlderSequenceTellsNothing() {
    // Given
    workers.heard(snapshot(7), at(0));

    // When
    workers.heard(snapshot(6), at(10));

    // Then
    assertThat(workers.all()).containsEntry("w1", new WorkerView(snapshot(7), at(0)));
  }

  @Test
  void anEngineThatGoesDownIsToldOfOnceEachTime() {
    // Given
    List<String> down = new ArrayList<>();
    KnownWorkers watched = new KnownWorkers(new EnginesDown(down), at(0));

    // When
    watched.heard(engine(1, true), at(0));
    watched.heard(engine(2, false), at(250));
    watched.heard(engine(3, false), at(500));
    watched.heard(engine(2, false), at(510));

    // Then
    assertThat(down).containsExactly("w1");

    // When
    watched.heard(engine(4, true), at(750));
    watched.read(reading(engine(5, false)), at(1_000), at(1_001));

    // Then
    assertThat(down).containsExactly("w1", "w1");
  }

  @Test
  void anotherIncarnationReplacesWhateverItsSequence() {
    // Given
    workers.heard(snapshot(700), at(0));
    WorkerSnapshot restarted = new TestWorker("w1").incarnation("second").sequence(1).snapshot();

    // When
    workers.heard(restarted, at(10));

    // Then
    assertThat(workers.all()).containsEntry("w1", new WorkerView(restarted, at(10)));
  }

  @Test
  void aSlowReadingDoesNotBringAnOldIncarnationBack() {
    // Given
    workers.heard(snapshot(700), at(0));
    WorkerSnapshot restarted = new TestWorker("w1").incarnation("second").sequence(1).snapshot();
    workers.heard(restarted, at(20));

    // When
    workers.read(reading(snapshot(700)), at(10), at(30));

    // Then
    assertThat(workers.all().get("w1").snapshot()).isEqualTo(restarted);
  }

  @Test
  void aSlowReadingDoesNotBringAWorkerBackThatHasSignedOff() {
    // Given
    workers.heard(snapshot(1), at(0));
    workers.signedOff("w1", at(20));

    // When
    workers.read(reading(snapshot(1)), at(10), at(30));

    // Then
    assertThat(workers.all()).isEmpty();
  }

  @Test
  void aWorkerThatSignedOffMayComeBack() {
    // Given
    workers.signedOff("w1", at(20));

    // When
    workers.read(reading(snapshot(1)), at(250), at(251));

    // Then
    assertThat(workers.all()).containsKey("w1");
  }

  @Test
  void aReadingThatWasAskedForEarlierButCameLaterIsIgnored() {
    // Given
    workers.read(reading(snapshot(5)), at(250), at(260));

    // When
    workers.read(FleetReading.EMPTY, at(0), at(300));

    // Then
    assertThat(workers.all()).containsKey("w1");
    assertThat(workers.freshUntilNanos()).isEqualTo(at(1_250));
  }

  @Test
  void aWorkerMissingFromAReadingIsOnlySilentForTenSeconds() {
    // Given
    workers.read(reading(snapshot(1)), at(0), at(0));

    // When
    readEmptyUntil(9_900);
    boolean stillKnown = workers.all().containsKey("w1");
    readEmptyUntil(10_400);

    // Then
    assertThat(stillKnown).isTrue();
    assertThat(workers.all()).isEmpty();
  }

  @Test
  void silenceWhileTheRegistryWasAwayDoesNotCount() {
    // Given
    workers.read(reading(snapshot(1)), at(0), at(0));

    // When
    workers.read(reading(snapshot(1)), at(30_000), at(30_001));

    // Then
    assertThat(workers.all().get("w1").heardAtNanos()).isEqualTo(at(30_000));
  }

  @Test
  void anEmptiedRegistryDoesNotMakeEverybodyDead() {
    // Given
    workers.read(reading(snapshot(1)), at(0), at(0));

    // When
    workers.read(FleetReading.EMPTY, at(30_000), at(30_001));

    // Then
    assertThat(workers.all()).containsKey("w1");
  }

  @Test
  void ofTwoStatesOfABreakerTheOneWithTheHigherEpochCounts() {
    // Given
    BreakerState open = breaker(new BreakerEvent.Usage(0.95), 7_000);
    workers.heard(snapshot(1), at(0));

    // When
    workers.heard("w1", open);
    workers.heard("w1", breaker(new BreakerEvent.EngineDown(), 6_999));
    workers.read(
        new FleetReading(
            List.of(snapshot(2)), Map.of("w1", breaker(new BreakerEvent.Tripped(), 6_000))),
        at(250),
        at(250));

    // Then
    assertThat(workers.all()).containsEntry("w1", new WorkerView(snapshot(2), at(250), open));
  }

  @Test
  void aReadingBringsBackTheBreakerThatAnEventDidNotTell() {
    // Given
    BreakerState open = breaker(new BreakerEvent.Usage(0.95), 7_000);
    workers.heard(snapshot(1), at(0));

    // When
    workers.read(new FleetReading(List.of(snapshot(1)), Map.of("w1", open)), at(250), at(250));

    // Then
    assertThat(workers.all().get("w1").breaker()).isEqualTo(open);
  }

  @Test
  void aRegistryThatWasEmptiedClosesNoBreaker() {
    // Given
    BreakerState open = breaker(new BreakerEvent.Usage(0.95), 7_000);
    workers.heard(snapshot(1), at(0));
    workers.heard("w1", open);

    // When
    workers.read(FleetReading.EMPTY, at(250), at(250));
    workers.read(reading(snapshot(2)), at(500), at(500));

    // Then
    assertThat(workers.all().get("w1").breaker()).isEqualTo(open);
  }

  @Test
  void aWorkerThatHasForgottenItsBreakerIsHeardAgain() {
    // Given
    workers.heard(snapshot(1), at(0));
    workers.heard("w1", breaker(new BreakerEvent.Tripped(), 7_000));

    // When
    BreakerState begunAnew = breaker(new BreakerEvent.Usage(0.95), 60_000);
    workers.heard("w1", begunAnew);

    // Then
    assertThat(workers.all().get("w1").breaker()).isEqualTo(begunAnew);
  }

  @Test
  void aBreakerThatIsHeardOfBeforeItsWorkerIsKept() {
    // Given
    BreakerState open = breaker(new BreakerEvent.Tripped(), 7_000);

    // When
    workers.heard("w1", open);
    workers.heard(snapshot(1), at(10));

    // Then
    assertThat(workers.all().get("w1").breaker()).isEqualTo(open);
  }

  @Test
  void aWorkerWhoseNameCanBeNoTopicIsIgnored() {
    // When
    workers.heard(new TestWorker("../ no topic").snapshot(), at(0));

    // Then
    assertThat(workers.all()).isEmpty();
  }

  private void readEmptyUntil(long millis) {
    long from = TimeUnit.NANOSECONDS.toMillis(workers.freshUntilNanos() - at(0)) - 750;
    for (long time = from; time <= millis; time += 250) {
      workers.read(FleetReading.EMPTY, at(time), at(time));
    }
  }

  private static BreakerState breaker(BreakerEvent event, long atMillis) {
    return Breaker.next(BreakerState.NEW, event, atMillis);
  }

  private static FleetReading reading(WorkerSnapshot... snapshots) {
    return new FleetReading(List.of(snapshots), Map.of());
  }

  private static WorkerSnapshot snapshot(long sequence) {
    return new TestWorker("w1").sequence(sequence).snapshot();
  }

  /** A monotonic clock may begin anywhere, also near its overflow. */
  private static long at(long millis) {
    return Long.MAX_VALUE - 1_000_000_000L + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private static WorkerSnapshot engine(long sequence, boolean isUp) {
    return new TestWorker("w1").sequence(sequence).engineUp(isUp).snapshot();
  }

  private record EnginesDown(List<String> down) implements FleetWatcher {
    @Override
    public void engineDown(String workerId) {
      down.add(workerId);
    }
  }
}
