package io.sluice.standalone.measure;

import io.sluice.standalone.backend.LocalPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A router of one model, {@code m}, as a process of its own. */
final class MeasuredRouter {
  /** Of every topic. */
  static final int PARTITIONS = 8;

  private MeasuredRouter() {}

  /**
   * Starts one, and waits until it is ready.
   *
   * @param more of its options
   */
  static LaunchedService start(String kafka, String redis, List<String> more, String javaFlags)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("router", "--models", "m=16384"));
    command.addAll(List.of("--kafka", kafka, "--redis", redis));
    command.addAll(List.of("--partitions", Integer.toString(PARTITIONS), "--replication", "1"));
    command.addAll(more);
    return LaunchedService.start("ready", command, javaFlags);
  }

  /** The same at any free port, with the flags that the environment names. */
  static LaunchedService start(String kafka, String redis, List<String> more)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(more);
    options.addAll(List.of("--port", Integer.toString(LocalPort.settle(0, "the router"))));
    return start(kafka, redis, options, System.getenv().getOrDefault("SLUICE_JAVA_OPTS", ""));
  }
}
