package io.sluice.bench.process;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options that name other servers in front of one engine of the benchmark. */
public final class TargetOptions {
  @Option(
      names = "--target",
      paramLabel = "NAME=URL",
      description =
          "Another server in front of the engine (see --engine-port), without /v1; repeatable.")
  private Map<String, URI> targets = new LinkedHashMap<>();

  @Option(
      names = "--pid",
      paramLabel = "NAME=PID",
      description =
          "The process of a target, or -PID for its process group, to measure or to kill it;"
              + " repeatable.")
  private Map<String, Long> pids = new LinkedHashMap<>();

  @Option(
      names = "--engine-port",
      paramLabel = "PORT",
      description = "The port of the engine, for targets (default: ${DEFAULT-VALUE}).")
  private int enginePort = 18_500;

  /**
   * Returns the servers, by name.
   *
   * @throws ParameterException if {@code --pid} names no server, or no process of one
   */
  public Map<String, URI> targets(CommandSpec spec) {
    pids.forEach(
        (name, pid) -> {
          if (!targets.containsKey(name)) {
            throw wrong(spec, name, "there is no --target of this name");
          }
          if (ProcessHandle.of(Math.abs(pid)).isEmpty() || Math.abs(pid) <= 1) {
            throw wrong(spec, name, "there is no process " + Math.abs(pid));
          }
        });
    return targets;
  }

  private static ParameterException wrong(CommandSpec spec, String name, String problem) {
    return new ParameterException(spec.commandLine(), "--pid %s: %s".formatted(name, problem));
  }

  /** Returns the process of a server, or its process group with a minus; empty if none is named. */
  public Optional<Long> pid(String target) {
    return Optional.ofNullable(pids.get(target));
  }

  /** Returns the port of the engine. */
  public int enginePort() {
    return enginePort;
  }
}
