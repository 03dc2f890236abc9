package io.sluice.bench.torture;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The engines of a pool.
 *
 * @param model what they serve
 * @param otherModel what the last one serves; it may be the same
 * @param maxModelLen tokens of prompt and output together
 * @param command of the shell that becomes a real one; empty if they are simulated
 * @param startWithin how long one takes to start, at most
 * @param firstWithin how long a request waits for its first word, at most, whatever others do
 * @param patience how long an answer is wanted: more than any pause that the adversary can make
 */
record Engines(
    String model,
    String otherModel,
    int maxModelLen,
    Optional<String> command,
    Duration startWithin,
    Duration firstWithin,
    Duration patience) {

  /** Stands for the port in a command. */
  static final String PORT = "{port}";

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

  /**
   * Real ones, which may take minutes to start.
   *
   * @param command as {@code vllm serve ... --port {port}}; has to stay in the foreground
   * @throws IllegalArgumentException if the command names no port
   */
  static Engines of(String command, String model, int maxModelLen) {
    if (!command.contains(PORT)) {
      throw new IllegalArgumentException("it has to hold " + PORT + ", where the port goes");
    }
    return new Engines(
        model,
        model,
        maxModelLen,
        Optional.of(command),
        Duration.ofMinutes(6),
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

  /** The shell's command line for one at a port; only for real ones. */
  List<String> commandLine(int port) {
    return List.of(
        "sh", "-c", "exec " + command.orElseThrow().replace(PORT, Integer.toString(port)));
  }
}
