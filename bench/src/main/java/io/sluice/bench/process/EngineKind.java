package io.sluice.bench.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What engines are used.
 *
 * @param model what they serve
 * @param maxModelLen tokens of prompt and output together
 * @param command starts a real one; empty if they are simulated
 * @param startWithin how long one takes to start, at most
 */
public record EngineKind(
    String model, int maxModelLen, Optional<EngineCommand> command, Duration startWithin) {

  public static EngineKind simulated() {
    return new EngineKind("sluice-sim-8b", 4_096, Optional.empty(), Duration.ofMinutes(3));
  }

  /** Real ones, which may take minutes to start. */
  public static EngineKind of(EngineCommand command, String model, int maxModelLen) {
    return new EngineKind(model, maxModelLen, Optional.of(command), Duration.ofMinutes(8));
  }

  public boolean isSimulated() {
    return command.isEmpty();
  }

  /** The same, serving something else. */
  public EngineKind serving(String otherModel) {
    return new EngineKind(otherModel, maxModelLen, command, startWithin);
  }

  /**
   * One of them, which is not started yet.
   *
   * @param options more of the simulator's, if it is one
   */
  public EngineProcess process(String name, List<String> options, FreePorts ports, Path folder)
      throws IOException {
    return command.isPresent()
        ? EngineProcess.real(command.get(), name, ports, folder)
        : EngineProcess.simulated(model, options, name, ports, folder);
  }
}
