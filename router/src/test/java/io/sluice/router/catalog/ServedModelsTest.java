package io.sluice.router.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.TestWorker;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ServedModelsTest {
  private final AtomicReference<FleetSnapshot> fleet =
      new AtomicReference<>(new FleetSnapshot(Map.of(), false));
  private final AtomicLong nanos = new AtomicLong();
  private final ServedModels served =
      new ServedModels(ModelCatalog.parse("m=100"), Duration.ofSeconds(10), fleet::get, nanos::get);

  /** Else the adapters of living workers would be refused whenever a router starts. */
  @Test
  void whatIsNotConfiguredIsRefusedAtOnceOnlyWhenTheFleetIsKnown() {
    served.refresh();
    boolean refusedBefore = served.refuses("adapter");

    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    var worker = new TestWorker("w1").models("m", "adapter");
    fleet.set(new FleetSnapshot(Map.of("w1", new WorkerView(worker.snapshot(), 0)), true));
    served.refresh();

    assertThat(refusedBefore).isFalse();
    assertThat(served.refuses("adapter")).isFalse();
    assertThat(served.refuses("other")).isTrue();
    assertThat(served.refuses("m")).isFalse();
  }

  /** It may have been given another model, which takes minutes to load. */
  @Test
  void requestsWaitForARestartedWorkerUntilItsEngineAnswers() {
    shows(new TestWorker("w1").models("m").incarnation("a.0"));
    afterGrace();
    boolean wasHopeless = served.isUnservable("other", 10);

    shows(new TestWorker("w1").models().incarnation("b.0").engineUp(false));
    afterGrace();

    assertThat(wasHopeless).isTrue();
    assertThat(served.isUnservable("other", 10)).isFalse();
  }

  @Test
  void anEngineThatDoesNotAnswerForAnHourIsWaitedForNoMore() {
    // Given
    TestWorker silent = new TestWorker("w2").models().engineUp(false);
    shows(new TestWorker("w1").models("m"), silent);
    afterGrace();
    boolean wasHopeless = served.isUnservable("other", 10);

    // When
    for (int seconds = 0; seconds < ServedModels.REMEMBERED.toSeconds(); seconds++) {
      afterSecond();
    }
    afterGrace();

    // Then
    assertThat(wasHopeless).isFalse();
    assertThat(served.isUnservable("other", 10)).isTrue();
  }

  @Test
  void aFleetOfWhichNoEngineHasAnsweredIsWaitedForAllTheTime() {
    // Given
    shows(new TestWorker("w1").models().engineUp(false));

    // When
    for (int seconds = 0; seconds < 2 * ServedModels.REMEMBERED.toSeconds(); seconds++) {
      afterSecond();
    }

    // Then
    assertThat(served.isUnservable("other", 10)).isFalse();
  }

  private void shows(TestWorker... workers) {
    fleet.set(
        new FleetSnapshot(
            Stream.of(workers)
                .map(TestWorker::snapshot)
                .collect(Collectors.toMap(WorkerSnapshot::id, worker -> new WorkerView(worker, 0))),
            true));
    afterSecond();
  }

  private void afterSecond() {
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    served.refresh();
  }

  /** Looking all the time. */
  private void afterGrace() {
    for (int seconds = 0; seconds <= 10; seconds++) {
      afterSecond();
    }
  }
}
