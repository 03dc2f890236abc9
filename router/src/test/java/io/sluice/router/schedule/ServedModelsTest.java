package io.sluice.router.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.TestWorker;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ServedModelsTest {
  private final AtomicReference<FleetSnapshot> fleet =
      new AtomicReference<>(new FleetSnapshot(Map.of(), false));
  private final AtomicLong nanos = new AtomicLong();
  private final ServedModels served =
      new ServedModels(
          ModelCatalogue.parse("m=100"), Duration.ofSeconds(10), fleet::get, nanos::get);

  /** Else the adapters of living workers would be refused whenever a router starts. */
  @Test
  void whatIsNotConfiguredIsRefusedAtOnceOnlyWhenTheFleetIsKnown() {
    served.look();
    boolean refusedBefore = served.refuses("adapter");

    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    var worker = new TestWorker("w1").models("m", "adapter");
    fleet.set(new FleetSnapshot(Map.of("w1", new WorkerView(worker.snapshot(), 0)), true));
    served.look();

    assertThat(refusedBefore).isFalse();
    assertThat(served.refuses("adapter")).isFalse();
    assertThat(served.refuses("other")).isTrue();
    assertThat(served.refuses("m")).isFalse();
  }
}
