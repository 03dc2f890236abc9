package io.sluice.router.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.common.metrics.BoundedNames;
import org.junit.jupiter.api.Test;

class TenantMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final TenantMetrics metrics = new TenantMetrics(registry);

  @Test
  void everyTenantHasItsTokensAndItsWait() {
    metrics.assigned("acme", 100, 20);
    metrics.assigned("acme", 50, 40);

    assertThat(tokens("acme")).isEqualTo(150);
    assertThat(registry.get("sluice.router.tenant.wait").tag("tenant", "acme").timer().count())
        .isEqualTo(2);
  }

  @Test
  void callersWhoInventTenantsMakeNoMoreTimeSeries() {
    for (int i = 0; i < 1_000; i++) {
      metrics.assigned("tenant-" + i, 1, 1);
    }

    assertThat(registry.find("sluice.router.tenant.tokens").counters())
        .hasSize(TenantMetrics.MOST + 1);
    assertThat(tokens(BoundedNames.OTHER)).isEqualTo(1_000 - TenantMetrics.MOST);
  }

  private double tokens(String tenant) {
    return registry.get("sluice.router.tenant.tokens").tag("tenant", tenant).counter().count();
  }
}
