package io.sluice.simulator.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** The profiles against published measurements. */
class GpuProfileTest {

  @Test
  void an_rtx4090_with_32_streams_needs_about_22_6_ms_per_token() {
    assertThat(latency(GpuProfile.RTX4090).stepMillis(0, 32, 32 * 588L))
        .isCloseTo(22.6, within(0.6));
  }

  @Test
  void an_h100_with_fp8_and_100_streams_needs_about_7_6_ms_per_token() {
    assertThat(latency(GpuProfile.H100_FP8).stepMillis(0, 100, 0)).isCloseTo(7.57, within(0.2));
  }

  @Test
  void an_a100_40_alone_gives_about_75_tokens_a_second() {
    assertThat(1000 / latency(GpuProfile.A100_40).stepMillis(0, 1, 1100))
        .isCloseTo(75, within(2.0));
  }

  @Test
  void names_find_their_profile_and_an_unknown_one_lists_them() {
    for (String name : GpuProfile.names()) {
      assertThat(GpuProfile.named(name).wireName()).isEqualTo(name);
    }
    assertThatThrownBy(() -> GpuProfile.named("tpu"))
        .hasMessageContaining("'tpu'")
        .hasMessageContaining("rtx4090");
  }

  private static LatencyModel latency(GpuProfile profile) {
    return LatencyModel.of(profile, ModelSize.B8, 1);
  }
}
