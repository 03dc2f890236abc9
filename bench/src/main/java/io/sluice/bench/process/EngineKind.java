package io.sluice.bench.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The kind of engines that a run uses.
 *
 * @param model the model that they serve
 * @param maxModelLen the context in tokens, prompt and output together
 * @param command starts a real engine; empty if the engines are simulated
 * @param startWithin the longest time that an engine may take to start
 */
public record EngineKind(
    String model, int maxModelLen, Optional<EngineCommand> command, Duration startWithin) {

  public static EngineKind simulated() {
    return new EngineKind("sluice-sim-8b", 4_096, Optional.empty(), Duration.ofMinutes(3));
  }

  /** Real engines, which may take minutes to start. */
  public static EngineKind of(EngineCommand command, String model, int maxModelLen) {
    return new EngineKind(model, maxModelLen, Optional.of(command), Duration.ofMinutes(8));
  }

  public boolean isSimulated() {
    return command.isEmpty();
  }

  /** Returns the same kind of engines, serving another model. */
  public EngineKind serving(String otherModel) {
    return new EngineKind(otherModel, maxModelLen, command, startWithin);
  }

  /**
   * Returns an engine of this kind that is not started yet.
   *
   * @param options more options of the simulator, if the engine is simulated
   */
  public EngineProcess process(String name, List<String> options, Path folder) throws IOException {
    return command.isPresent()
        ? EngineProcess.real(command.get(), name, folder)
        : EngineProcess.simulated(model, options, name, folder);
  }
}
