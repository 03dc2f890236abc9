package io.sluice.bench.torture;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Draws targets, times and request ids: equal seeds give equal draws. Not thread-safe. */
final class Odds {
  private final PoolSize size;
  private final long seed;
  private final Random random;
  private int ids;

  Odds(PoolSize size, long seed) {
    this.size = size;
    this.seed = seed;
    this.random = new Random(seed);
  }

  Random random() {
    return random;
  }

  /** An id that no other request of the run has. */
  String id(String of) {
    return String.format(Locale.ROOT, "%s-%d-%04d", of, seed, ids++);
  }

  Target worker() {
    return Target.worker(1 + random.nextInt(size.workers()));
  }

  List<Target> allWorkers() {
    return Wiring.all(size).filter(target -> target.role() == Target.Role.WORKER).toList();
  }

  Target engine() {
    return Target.engine(1 + random.nextInt(size.workers()));
  }

  Target router() {
    return Target.router(1 + random.nextInt(size.routers()));
  }

  Target broker() {
    return Target.broker(1 + random.nextInt(size.brokers()));
  }

  Target brokerBeside(Target other) {
    return Target.broker(1 + other.number() % size.brokers());
  }

  Duration seconds(int from, int to) {
    return Duration.ofMillis(between(from * 1_000L, to * 1_000L));
  }

  /** Between two minutes and five hours, ahead or behind. */
  Duration skew() {
    Duration off = random.nextBoolean() ? seconds(120, 600) : seconds(3_600, 18_000);
    return random.nextBoolean() ? off : off.negated();
  }

  long between(long from, long to) {
    return from + random.nextLong(to - from + 1);
  }
}
