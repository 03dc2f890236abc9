package io.sluice.bench.fleet.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExactPrefixesTest {
  /** Both begin with the same two blocks of 512 tokens. */
  private static final FleetRequest FIRST = request(0, 10, 11, 12);

  private static final FleetRequest SECOND = request(1, 10, 11, 13);

  private final FleetRun run =
      new FleetRun(
          List.of(FIRST, SECOND), EngineConfig.of(Timing.of(GpuProfile.RTX4090), 16_384), 2, 7);
  private final ExactPrefixes prefixes = new ExactPrefixes(run.engines());

  @Test
  void whatAnEngineHasComputedIsCachedThereUntilItRestarts() {
    prefixes.arrived(FIRST);
    PrefixChain second = prefixes.arrived(SECOND);
    run.engines().get(1).submit(FIRST);

    run.time().runUntil(Duration.ofSeconds(10).toNanos());

    assertThat(prefixes.match(second).blocks("w0")).isZero();
    assertThat(prefixes.match(second).blocks("w1")).isEqualTo(2);
    run.engines().get(1).restart(Duration.ZERO);
    assertThat(prefixes.match(second).blocks("w1")).isZero();
  }

  @Test
  void aPromptOnItsWayCountsUntilItIsComputedOrReturned() {
    prefixes.arrived(FIRST);
    PrefixChain second = prefixes.arrived(SECOND);
    var lease = new LeaseRef("0", 1, "lease", "w0", "first");

    prefixes.sent(lease, FIRST);

    assertThat(prefixes.match(second).blocks("w0")).isEqualTo(2);
    assertThat(prefixes.match(second).blocks("w1")).isZero();
    prefixes.settled(lease);
    assertThat(prefixes.match(second).blocks("w0")).isZero();
  }

  private static FleetRequest request(int id, long... blocks) {
    return new FleetRequest(id, 0, blocks.length * 512, 20, blocks, 1, true, false);
  }
}
