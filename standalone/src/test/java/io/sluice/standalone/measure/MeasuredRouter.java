package io.sluice.standalone.measure;

import io.sluice.standalone.backend.LocalPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A router as a process of its own; of one model, {@code m}, unless others are named. */
final class MeasuredRouter {
  /** Of every topic, unless another number is named. */
  static final int PARTITIONS = 8;

  private MeasuredRouter() {}

  /**
   * Starts one, and waits until it is ready.
   *
   * @param more of its options
   */
  static LaunchedService start(String kafka, String redis, List<String> more, String javaFlags)
      throws IOException, InterruptedException {
    return start(kafka, redis, List.of("m"), PARTITIONS, more, javaFlags);
  }

  /** The same at any free port, with the flags that the environment names. */
  static LaunchedService start(String kafka, String redis, List<String> more)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(more);
    options.addAll(List.of("--port", Integer.toString(LocalPort.settle(0, "the router"))));
    return start(kafka, redis, options, System.getenv().getOrDefault("SLUICE_JAVA_OPTS", ""));
  }

  /** Starts one of several models, in a pool of so many partitions. */
  static LaunchedService start(
      String kafka,
      String redis,
      List<String> models,
      int partitions,
      List<String> more,
      String javaFlags)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("router", "--models"));
    command.add(String.join(",", models.stream().map(model -> model + "=16384").toList()));
    command.addAll(List.of("--kafka", kafka, "--redis", redis));
    command.addAll(List.of("--partitions", Integer.toString(partitions), "--replication", "1"));
    command.addAll(more);
    return LaunchedService.start("ready", command, javaFlags);
  }
}
