package io.sluice.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.simulator.fit.MetricsPage;
import org.junit.jupiter.api.Test;

class KvCapacityTest {
  @Test
  void aSmallCacheIsAsManyBlocksAsItHas() throws Exception {
    assertThat(KvCapacity.tokensOf(page(64))).isEqualTo(8_192);
  }

  @Test
  void oneThatTakesTooLongToFillOrIsNotToldIsUnfit() {
    assertThatThrownBy(() -> KvCapacity.tokensOf(page(10_000)))
        .isInstanceOf(KvCapacity.UnfitException.class)
        .hasMessageContaining("1,280,000 tokens")
        .hasMessageContaining("--num-gpu-blocks-override");
    assertThatThrownBy(() -> KvCapacity.tokensOf(new MetricsPage("")))
        .isInstanceOf(KvCapacity.UnfitException.class);
  }

  private static MetricsPage page(int blocks) {
    return new MetricsPage(
        "vllm:cache_config_info{block_size=\"128\",num_gpu_blocks=\"%d\"} 1.0\n".formatted(blocks));
  }
}
