package io.sluice.bench.torture;

import io.sluice.bench.process.EngineCommand;
import java.time.Duration;
import java.util.Optional;

/**
 * The engines of a pool.
 *
 * @param model what they serve
 * @param otherModel what the last one serves; it may be the same
 * @param maxModelLen tokens of prompt and output together
 * @param command starts a real one; empty if they are simulated
 * @param startWithin how long one takes to start, at most
 * @param firstWithin how long a request waits for its first word, at most, whatever others do
 * @param patience how long an answer is wanted: more than any pause that the adversary can make
 */
record Engines(
    String model,
    String otherModel,
    int maxModelLen,
    Optional<EngineCommand> command,
    Duration startWithin,
    Duration firstWithin,
    Duration patience) {

  static Engines simulated() {
    return new Engines(
        "sluice-sim-8b",
        "sluice-sim-other",
        4_096,
        Optional.empty(),
        Duration.ofMinutes(3),
        Duration.ofSeconds(60),
        Duration.ofSeconds(150));
  }

  /** Real ones, which may take minutes to start. */
  static Engines of(EngineCommand command, String model, int maxModelLen) {
    return new Engines(
        model,
        model,
        maxModelLen,
        Optional.of(command),
        Duration.ofMinutes(8),
        Duration.ofMinutes(12),
        Duration.ofMinutes(15));
  }

  /** The same, all of them serving the one model. */
  Engines ofOneModel() {
    return new Engines(model, model, maxModelLen, command, startWithin, firstWithin, patience);
  }

  boolean areSimulated() {
    return command.isEmpty();
  }
}
