package io.sluice.standalone.measure;

import io.sluice.standalone.backend.LocalPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A router in a process of its own, for the single model {@code m} unless others are given. */
final class MeasuredRouter {
  /** The default number of partitions of every topic. */
  static final int PARTITIONS = 8;

  private MeasuredRouter() {}

  /**
   * Starts a router and waits until it is ready.
   *
   * @param more further options
   */
  static LaunchedService start(String kafka, String redis, List<String> more, String javaFlags)
      throws IOException, InterruptedException {
    return start(kafka, redis, List.of("m"), PARTITIONS, more, javaFlags);
  }

  /** Starts a router on any free port, with the flags that the environment sets. */
  static LaunchedService start(String kafka, String redis, List<String> more)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(more);
    options.addAll(List.of("--port", Integer.toString(LocalPort.settle(0, "the router"))));
    return start(kafka, redis, options, System.getenv().getOrDefault("SLUICE_JAVA_OPTS", ""));
  }

  /** Starts a router for several models, in a pool with this many partitions. */
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
