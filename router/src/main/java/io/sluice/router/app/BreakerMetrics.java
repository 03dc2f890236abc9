package io.sluice.router.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.fleet.breaker.BreakerCause;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.router.fleet.FleetWatcher;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Metrics of the breakers of all known workers, as this router sees them. Thread-safe. */
final class BreakerMetrics implements FleetWatcher {
  private static final Logger log = LoggerFactory.getLogger(BreakerMetrics.class);

  private final MeterRegistry registry;
  private final ConcurrentMap<String, BreakerPhase> phases = new ConcurrentHashMap<>();

  BreakerMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void appeared(String workerId, BreakerState breaker) {
    phases.put(workerId, breaker.phase());
    Gauge.builder("sluice.router.breaker", phases, known -> position(known, workerId))
        .description("State of a worker's circuit breaker: 0 closed, 1 half-open, 2 open")
        .tag("worker", workerId)
        .register(registry);
    // An increase from nothing is none to Prometheus.
    for (BreakerCause cause : BreakerCause.values()) {
      transitions(workerId, BreakerPhase.CLOSED, BreakerPhase.OPEN, named(cause));
    }
  }

  @Override
  public void gone(String workerId) {
    phases.remove(workerId);
    // Pods get new names, so the series of a worker that is gone must not stay.
    registry.getMeters().stream()
        .filter(meter -> workerId.equals(meter.getId().getTag("worker")))
        .forEach(registry::remove);
  }

  @Override
  public void breakerChanged(String workerId, BreakerState from, BreakerState to) {
    if (from.phase() == to.phase()) {
      return;
    }
    phases.put(workerId, to.phase());
    String cause =
        Stream.concat(to.causes().stream(), from.causes().stream())
            .findFirst()
            .map(BreakerMetrics::named)
            .orElse("none");
    transitions(workerId, from.phase(), to.phase(), cause).increment();
    log.info(
        "event=breaker_changed worker={} from={} to={} cause={}",
        workerId,
        named(from.phase()),
        named(to.phase()),
        cause);
  }

  private Counter transitions(String workerId, BreakerPhase from, BreakerPhase to, String cause) {
    return Counter.builder("sluice.router.breaker.transitions")
        .description("State changes of a worker's circuit breaker")
        .tags("worker", workerId, "from", named(from), "to", named(to), "cause", cause)
        .register(registry);
  }

  private static double position(ConcurrentMap<String, BreakerPhase> phases, String workerId) {
    return phases.getOrDefault(workerId, BreakerPhase.CLOSED).level();
  }

  private static String named(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
