package io.sluice.bench.fleet.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Workload;
import io.sluice.common.protocol.Priority;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.schedule.task.SchedulerListener;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How bulk enters the router in virtual time. */
class BulkFlowTest {
  private static final EngineConfig ENGINE = EngineConfig.of(Timing.of(GpuProfile.RTX4090), 16_384);
  private static final Workload.Length LENGTH =
      new Workload.Length(0, Duration.ofSeconds(10).toNanos());

  @Test
  void bulkWhoseSlackHasEndedEntersAsInteractiveAndOtherBulkDoesNot() {
    // Given: a minute before the deadline, no slack is left
    Map<String, Priority> received = new HashMap<>();
    var listener =
        new SchedulerListener() {
          @Override
          public void received(RequestMetadata metadata) {
            received.put(metadata.requestId(), metadata.priority());
          }
        };
    FleetRun run = new FleetRun(List.of(bulk(0), bulk(1)), ENGINE, 1, 7);
    FrontSettings settings =
        FrontSettings.STANDARD
            .withTimeouts(request -> Duration.ofSeconds(request.id() == 0 ? 50 : 3_600))
            .withListener(listener);

    // When
    var _ = run.run(new SluiceFront(run, 7, settings), LENGTH);

    // Then
    assertThat(received)
        .containsExactlyInAnyOrderEntriesOf(Map.of("0", Priority.INTERACTIVE, "1", Priority.BULK));
  }

  private static FleetRequest bulk(int id) {
    return new FleetRequest(
        id, 1_000_000_000L, 1_024, 10, new long[] {1, 100 + id}, id, true, true);
  }
}
