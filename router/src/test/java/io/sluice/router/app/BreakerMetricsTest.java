package io.sluice.router.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import org.junit.jupiter.api.Test;

class BreakerMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final BreakerMetrics metrics = new BreakerMetrics(registry);
  private final BreakerState open = Breaker.next(BreakerState.NEW, new BreakerEvent.Usage(0.9), 1);

  @Test
  void everyKnownWorkerHasAGaugeOfItsBreaker() {
    metrics.appeared("w1", BreakerState.NEW);
    metrics.breakerChanged("w1", BreakerState.NEW, open);

    assertThat(registry.get("sluice.router.breaker").tag("worker", "w1").gauge().value())
        .isEqualTo(2);

    metrics.gone("w1");
    assertThat(registry.find("sluice.router.breaker").gauge()).isNull();
  }

  @Test
  void transitionsAreCountedByWhatCausedThem() {
    metrics.appeared("w1", BreakerState.NEW);
    metrics.breakerChanged("w1", BreakerState.NEW, open);
    metrics.breakerChanged("w1", open, Breaker.next(open, new BreakerEvent.Tripped(), 2));
    metrics.breakerChanged("w1", open, Breaker.next(open, new BreakerEvent.Usage(0.1), 3));

    assertThat(transitions("closed", "open")).isEqualTo(1);
    assertThat(transitions("open", "closed")).isEqualTo(1);
  }

  private double transitions(String from, String to) {
    return registry
        .get("sluice.router.breaker.transitions")
        .tags("worker", "w1", "from", from, "to", to, "cause", "memory")
        .counter()
        .count();
  }
}
