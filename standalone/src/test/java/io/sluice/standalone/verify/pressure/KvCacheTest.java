package io.sluice.standalone.verify.pressure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.fit.MetricsPage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KvCacheTest {

  @ParameterizedTest
  @CsvSource({
    "64, 128, 2048, true",
    "257, 128, 2048, true",
    "258, 128, 2048, false",
    "1365, 128, 2048, false",
    "8193, 16, 131072, true",
    "8194, 16, 131072, false",
    "28300, 16, 16384, false",
  })
  void whatTakesLongToFillIsNotSmall(int blocks, int blockTokens, int context, boolean isSmall) {
    KvCache cache = KvCache.of(page(blocks, blockTokens), context).orElseThrow();

    assertThat(cache.isSmall()).isEqualTo(isSmall);
  }

  @ParameterizedTest
  @CsvSource({
    "1365, 128, 2048, --num-gpu-blocks-override 64",
    "28300, 16, 16384, --num-gpu-blocks-override 4096",
    "99999, 16, 131072, --max-model-len 32768 --num-gpu-blocks-override 8192",
  })
  void theFlagsMakeItSmall(int blocks, int blockTokens, int context, String flags) {
    KvCache cache = KvCache.of(page(blocks, blockTokens), context).orElseThrow();

    assertThat(cache.isSmall()).isFalse();
    assertThat(cache.flags()).isEqualTo(flags);
  }

  @Test
  void whatAnEngineDoesNotTellIsUnknown() {
    assertThat(KvCache.of(new MetricsPage("vllm:num_requests_running 0.0"), 2_048)).isEmpty();
    assertThat(KvCache.of(page(64, 128), 0)).isEmpty();
  }

  private static MetricsPage page(int blocks, int blockTokens) {
    return new MetricsPage(
        "vllm:cache_config_info{block_size=\"%d\",num_gpu_blocks=\"%d\"} 1.0"
            .formatted(blockTokens, blocks));
  }
}
