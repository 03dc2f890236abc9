package io.sluice.simulator.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class LoadTest {

  private static final int CONTEXT = 2048;

  @Test
  void equalSeedsGiveEqualLoadsThatFitTheContext() {
    Load load = Load.of(3, 500, 5, CONTEXT);

    assertThat(load.arrivals())
        .usingRecursiveComparison()
        .isEqualTo(Load.of(3, 500, 5, CONTEXT).arrivals());
    assertThat(load.arrivals())
        .allSatisfy(
            one -> assertThat(one.prompt().length + one.outputTokens()).isBetween(24, CONTEXT - 1));
    assertThat(load.arrivals().getLast().atNanos()).isBetween(80_000_000_000L, 120_000_000_000L);
  }

  @Test
  void aGpuOfTwiceTheSpeedHasTwiceTheCapacity() {
    Load load = Load.of(3, 100, 1, CONTEXT);
    Timing timing = Timing.of(GpuProfile.L4);

    double once = load.capacity(EngineConfig.of(timing, CONTEXT));
    double twice = load.capacity(EngineConfig.of(timing.withSpeed(2), CONTEXT));

    assertThat(twice).isCloseTo(2 * once, withinPercentage(0.1));
  }
}
