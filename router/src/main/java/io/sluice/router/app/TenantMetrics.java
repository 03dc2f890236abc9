package io.sluice.router.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.common.metrics.BoundedNames;
import java.util.concurrent.TimeUnit;

/**
 * What each tenant gets, to see whether the pool is shared fairly. The first {@value #MOST} tenants
 * that a router serves have time series of their own, and all others share one. Thread-safe.
 */
final class TenantMetrics {
  static final int MOST = 20;

  private final MeterRegistry registry;
  private final BoundedNames tenants = new BoundedNames(MOST);

  TenantMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** A request of a tenant, of this size, was assigned to a worker after it waited so long. */
  void assigned(String name, long tokens, long waitedMillis) {
    String tenant = tenants.of(name);
    Counter.builder("sluice.router.tenant.tokens")
        .description("Prompt and expected output tokens of the requests assigned to workers")
        .tag("tenant", tenant)
        .register(registry)
        .increment((double) tokens);
    Timer.builder("sluice.router.tenant.wait")
        .description("Time from the append of a tenant's request to its assignment")
        .tag("tenant", tenant)
        .register(registry)
        .record(waitedMillis, TimeUnit.MILLISECONDS);
  }
}
