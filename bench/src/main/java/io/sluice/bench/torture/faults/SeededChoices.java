package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Engines;
import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Target;
import io.sluice.bench.torture.pool.Wiring;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Chooses targets, times and request ids at random. Equal seeds give equal choices. Not
 * thread-safe.
 */
final class SeededChoices {
  private final PoolSetup setup;
  private final long seed;
  private final Random random;
  private int ids;

  SeededChoices(PoolSetup setup, long seed) {
    this.setup = setup;
    this.seed = seed;
    this.random = new Random(seed);
  }

  Engines engines() {
    return setup.engines();
  }

  Random random() {
    return random;
  }

  /** Returns an id that no other request of the run has. */
  String id(String of) {
    return String.format(Locale.ROOT, "%s-%d-%04d", of, seed, ids++);
  }

  Target worker() {
    return Target.worker(1 + random.nextInt(setup.workers()));
  }

  List<Target> allWorkers() {
    return Wiring.all(setup).filter(target -> target.role() == Target.Role.WORKER).toList();
  }

  Target engine() {
    return Target.engine(1 + random.nextInt(setup.workers()));
  }

  Target router() {
    return Target.router(1 + random.nextInt(setup.routers()));
  }

  boolean hasGateways() {
    return setup.gateways() > 0;
  }

  Target gateway() {
    return Target.gateway(1 + random.nextInt(setup.gateways()));
  }

  Target broker() {
    return Target.broker(1 + random.nextInt(setup.brokers()));
  }

  Target brokerAfter(Target other) {
    return Target.broker(1 + other.number() % setup.brokers());
  }

  Duration seconds(int from, int to) {
    return Duration.ofMillis(between(from * 1_000L, to * 1_000L));
  }

  /** Returns an offset between two minutes and five hours, ahead or behind. */
  Duration skew() {
    Duration off = random.nextBoolean() ? seconds(120, 600) : seconds(3_600, 18_000);
    return random.nextBoolean() ? off : off.negated();
  }

  long between(long from, long to) {
    return from + random.nextLong(to - from + 1);
  }
}
