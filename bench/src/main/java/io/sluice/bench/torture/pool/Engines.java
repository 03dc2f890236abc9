package io.sluice.bench.torture.pool;

import io.sluice.bench.process.EngineCommand;
import io.sluice.bench.process.EngineKind;
import java.time.Duration;
import java.util.Optional;

/**
 * The engines of a pool.
 *
 * @param otherModel what the last one serves; it may be the same
 * @param endWithin how much later than its deadline, or than its cancellation, a request may end:
 *     the router looks once a second, and the end has to pass through Kafka, on a machine that real
 *     engines keep busy
 * @param firstWithin how long a request waits for its first word, at most, whatever others do
 * @param length of long answers, in those of a simulated engine: a small model on a real one is
 *     fast, and an answer that is interrupted has to last
 * @param patience how long an answer is wanted: more than any pause that the adversary can make
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

  /** Of this kind; real ones may take minutes to start. */
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

  /** The same, all of them serving the one model. */
  Engines ofOneModel() {
    return new Engines(kind, model(), length, endWithin, firstWithin, patience);
  }

  /** What all serve but the last one. */
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
