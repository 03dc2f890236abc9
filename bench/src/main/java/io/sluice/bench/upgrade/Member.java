package io.sluice.bench.upgrade;

import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A service of a pool, whose build can be replaced. Used by one thread. */
final class Member implements AutoCloseable {
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);
  private static final String MAIN = "io.sluice.standalone.Main";
  private static final String HEAP = "256m";

  private final String name;
  private final List<String> arguments;
  private final Path folder;
  private Optional<ChildProcess> process = Optional.empty();

  /** Prepares a service with these arguments of the command line. */
  Member(String name, List<String> arguments, Path folder) {
    this.name = name;
    this.arguments = List.copyOf(arguments);
    this.folder = folder;
  }

  String name() {
    return name;
  }

  /** Starts it without waiting until it is ready. */
  void start(Build build) throws IOException {
    Path temporary = Files.createDirectories(folder.resolve("tmp-" + name));
    List<String> classPath = List.of("-cp", build.classPath());
    List<String> command = Launch.java(HEAP, temporary, classPath, MAIN, arguments);
    var started =
        new ChildProcess(
            name, Launch.single(command, Map.of(), " ready"), folder.resolve(name + ".log"));
    process = Optional.of(started);
    started.start();
  }

  /** Waits until it is ready. */
  void awaitReady() throws IOException, InterruptedException {
    if (process.isPresent()) {
      process.get().awaitReady(READY_WITHIN);
    }
  }

  /**
   * Stops it as an orchestrator does, and starts it with another build; returns when it is ready.
   *
   * @throws IOException if it does not stop by itself, or does not start
   */
  void replace(Build build) throws IOException, InterruptedException {
    if (process.isPresent() && !process.get().terminate()) {
      throw new IOException(name + " did not stop after SIGTERM");
    }
    start(build);
    awaitReady();
  }

  @Override
  public void close() {
    process.ifPresent(ChildProcess::close);
  }
}
