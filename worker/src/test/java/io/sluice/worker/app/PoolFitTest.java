package io.sluice.worker.app;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.fleet.peers.RouterReport;
import io.sluice.worker.config.WorkerConfig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class PoolFitTest {
  private static final RouterReport ROUTER = router(List.of("2k", "8k"), List.of("fast", "exact"));

  @Test
  void aTierAndLanesThatNoRouterKnowsAreRefusedAtOnce() {
    assertThatThrownBy(() -> fit("golden", "2k,3k,4k", ROUTER).requireAtStart())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "--tier names 'golden', but the tiers of the pool's routers are fast, exact; --lanes"
                + " names '3k,4k', but the lanes of the pool's routers are 2k, 8k");
  }

  @Test
  void whatOneOfTheRoutersKnowsFits() {
    RouterReport newer = router(List.of("2k", "64k"), List.of("golden"));

    assertThatCode(() -> fit("golden", "64k", ROUTER, newer).requireAtStart())
        .doesNotThrowAnyException();
  }

  @Test
  void routersThatTellNothingAndPoolsWithoutThemFit() {
    var older = router(List.of(), List.of());

    assertThatCode(() -> fit("golden", "3k", older).requireAtStart()).doesNotThrowAnyException();
    assertThatCode(() -> fit("golden", "3k").requireAtStart()).doesNotThrowAnyException();
  }

  @Test
  void aWorkerStartsWithoutRedis() {
    var away = CompletableFuture.<List<RouterReport>>failedFuture(new IOException("refused"));
    assertThatCode(() -> fit("golden", "3k", away).requireAtStart()).doesNotThrowAnyException();
  }

  private static RouterReport router(List<String> lanes, List<String> tiers) {
    return new RouterReport("r", List.of(), Map.of(), lanes, tiers, List.of(), 0, List.of());
  }

  private static PoolFit fit(String tier, String lanes, RouterReport... routers) {
    return fit(tier, lanes, CompletableFuture.completedFuture(List.of(routers)));
  }

  private static PoolFit fit(
      String tier, String lanes, CompletionStage<List<RouterReport>> reports) {
    return new PoolFit(
        WorkerConfig.of(Map.of("id", "w", "tier", tier, "lanes", lanes)), () -> reports);
  }
}
