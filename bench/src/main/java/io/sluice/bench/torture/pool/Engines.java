package io.sluice.bench.torture.pool;

import io.sluice.bench.process.EngineCommand;
import io.sluice.bench.process.EngineKind;
import java.time.Duration;
import java.util.Optional;

/**
 * The engines of a pool.
 *
 * @param otherModel the model that the last engine serves; it may be the same as the others'
 * @param endWithin how long after its deadline or cancellation a request may end: the router checks
 *     once a second, and the end has to pass through Kafka, on a machine that real engines keep
 *     busy
 * @param firstWithin the longest time that a request waits for its first record, whatever load
 *     others cause
 * @param length factor for the length of long answers, 1 for simulated engines. A small model on a
 *     real engine is fast, and an answer must run long enough to be interrupted
 * @param patience the deadline of requests: longer than any pause that a fault can cause
 */
public record Engines(
    EngineKind kind,
    String otherModel,
    int length,
    Duration endWithin,
    Duration firstWithin,
    Duration patience) {

  public static Engines simulated() {
    return new Engines(
        EngineKind.simulated(),
        "sluice-sim-other",
        1,
        Duration.ofSeconds(5),
        Duration.ofSeconds(60),
        Duration.ofSeconds(150));
  }

  /** Engines of a kind. Real engines get longer limits, because they may take minutes to start. */
  public static Engines of(EngineKind kind) {
    return kind.isSimulated()
        ? simulated()
        : new Engines(
            kind,
            kind.model(),
            3,
            Duration.ofSeconds(15),
            Duration.ofMinutes(12),
            Duration.ofMinutes(15));
  }

  /** Returns the same engines, all of which serve the first model. */
  Engines ofOneModel() {
    return new Engines(kind, model(), length, endWithin, firstWithin, patience);
  }

  /** Returns the model that all engines except the last one serve. */
  public String model() {
    return kind.model();
  }

  public int maxModelLen() {
    return kind.maxModelLen();
  }

  Optional<EngineCommand> command() {
    return kind.command();
  }

  public Duration startWithin() {
    return kind.startWithin();
  }

  public boolean areSimulated() {
    return kind.isSimulated();
  }
}
