package io.sluice.bench.process;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

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
      description = "The process of a target, or -PID for its process group; repeatable.")
  private Map<String, Long> pids = new LinkedHashMap<>();

  @Option(
      names = "--engine-port",
      paramLabel = "PORT",
      description = "The port of the engine, for targets (default: ${DEFAULT-VALUE}).")
  private int enginePort = 18_500;

  /** Returns the servers, by name. */
  public Map<String, URI> targets() {
    return targets;
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
