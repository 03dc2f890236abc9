package io.sluice.worker.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.RestartPermits;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class TierPermitTest {
  private final List<WorkerSnapshot> fleet = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private boolean isReachable = true;
  private final TierPermit permit =
      new TierPermit(new Asked(), this::read, Optional.of("fast"), "w0", 25);

  @Test
  void aQuarterOfTheTierMayRestartAndAtLeastOneWorker() throws Exception {
    workers("fast", 9);
    workers("precise", 40);
    assertThat(permit.hold()).isTrue();

    fleet.clear();
    workers("fast", 1);
    assertThat(permit.hold()).isTrue();

    assertThat(asked).containsExactly("fast w0 2", "fast w0 1");
  }

  @Test
  void nothingRestartsWhileAsManyOthersAreAwayForAnotherReason() throws Exception {
    workers("fast", 4);
    fleet.set(2, worker("w2", "fast", false));
    fleet.set(0, worker("w0", "fast", false));

    assertThat(permit.hold()).isFalse();
    assertThat(asked).isEmpty();
  }

  @Test
  void aPermitThatIsHeldIsRenewedWhoeverIsAway() throws Exception {
    workers("fast", 4);
    permit.hold();
    fleet.set(2, worker("w2", "fast", false));

    assertThat(permit.hold()).isTrue();
  }

  @Test
  void withoutRedisNoneIsTakenAndOneThatIsHeldCounts() throws Exception {
    workers("fast", 4);
    isReachable = false;
    assertThat(permit.hold()).isFalse();

    isReachable = true;
    permit.hold();
    isReachable = false;
    assertThat(permit.hold()).isTrue();
  }

  private void workers(String tier, int count) {
    for (int i = 0; i < count; i++) {
      fleet.add(worker("w" + i, tier, true));
    }
  }

  private static WorkerSnapshot worker(String id, String tier, boolean isUp) {
    return WorkerSnapshotBuilder.builder()
        .id(id)
        .incarnation("i")
        .sequence(1)
        .models(List.of("m"))
        .cards(Map.of())
        .lanes(List.of())
        .maxModelLen(4_096)
        .tokenBudget(0)
        .tokensInUse(0)
        .kvUsage(OptionalDouble.empty())
        .running(0)
        .waiting(0)
        .slots(8)
        .held(Map.of())
        .draining(false)
        .engineUp(isUp)
        .pace(EnginePace.UNKNOWN)
        .traits(EngineTraits.NONE)
        .version("")
        .tier(Optional.of(tier))
        .build();
  }

  private final class Asked implements RestartPermits {
    @Override
    public CompletionStage<Boolean> hold(String group, String worker, int most, Duration life) {
      asked.add(group + " " + worker + " " + most);
      return CompletableFuture.completedFuture(true);
    }

    @Override
    public CompletionStage<Void> release(String group, String worker) {
      return CompletableFuture.completedFuture(null);
    }
  }

  private CompletionStage<FleetReading> read() {
    return isReachable
        ? CompletableFuture.completedFuture(new FleetReading(fleet, Map.of()))
        : CompletableFuture.failedFuture(new IllegalStateException("no Redis"));
  }
}
