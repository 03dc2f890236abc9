package io.sluice.standalone.pool;

import io.sluice.standalone.launch.StartCache;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A service in a process of its own, started with the main class of its container image. */
final class ServiceProcess implements AutoCloseable {
  private static final Duration READY_WITHIN = Duration.ofMinutes(3);

  private final Process process;
  private final BlockingQueue<String> output = new LinkedBlockingQueue<>();

  private ServiceProcess(Process process) {
    this.process = process;
    Thread.ofVirtual().start(this::readOutput);
  }

  /** Starts a service and waits for the line that says it is ready. */
  static ServiceProcess start(String... arguments) {
    ServiceProcess started = launch(256, arguments);
    started.awaitReady();
    return started;
  }

  /** Starts a service with a heap of this size; out of memory, it exits. */
  static ServiceProcess launch(int mebibytes, String... arguments) {
    return launch(mebibytes, List.of(), arguments);
  }

  /** Starts such a service with more options of the JVM. */
  static ServiceProcess launch(int mebibytes, List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(StartCache.FLAGS);
    command.addAll(StartCache.classPathOptions());
    command.addAll(
        List.of(
            "-Xmx" + mebibytes + "m", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=1"));
    command.addAll(options);
    command.add(mainOf(arguments[0]));
    command.addAll(List.of(arguments));
    var process = new ProcessBuilder(command).redirectErrorStream(true);
    // Simulated engines have nothing that gets warm.
    process.environment().put("SLUICE_WARM_UP_REQUESTS", "0");
    try {
      return new ServiceProcess(process.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the main class of the image that contains a service. */
  private static String mainOf(String service) {
    return switch (service) {
      case "simulator", "demo" -> io.sluice.standalone.Main.class.getName();
      case "kafka" -> KafkaMain.class.getName();
      case "up" -> UpMain.class.getName();
      default -> io.sluice.services.Main.class.getName();
    };
  }

  /** Waits for the line that says it is ready. */
  void awaitReady() {
    try {
      awaitLine("ready");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Waits for a line of output that contains a text; returns the line. */
  String awaitLine(String text) throws InterruptedException {
    List<String> seen = new ArrayList<>();
    long end = System.nanoTime() + READY_WITHIN.toNanos();
    while (System.nanoTime() - end < 0) {
      String line = output.poll(100, TimeUnit.MILLISECONDS);
      if (line != null) {
        seen.add(line);
        if (line.contains(text)) {
          return line;
        }
      } else if (!process.isAlive()) {
        break;
      }
    }
    process.destroyForcibly();
    throw new AssertionError(
        "no line with '" + text + "'; the process said:\n" + String.join("\n", seen));
  }

  /** Kills the process like {@code kill -9}. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Returns the processes that it has started. */
  List<ProcessHandle> children() {
    return process.descendants().toList();
  }

  /** Waits until it ends by itself; returns the exit code. */
  int awaitEnd() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new AssertionError("the process did not end within 60 s");
    }
    return process.exitValue();
  }

  /** Sends a signal, such as {@code STOP} or {@code CONT}. */
  void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  /** Ends the process like {@code kill}; returns the exit code. */
  int terminate() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the process did not stop within 30 s of SIGTERM");
    }
    return process.exitValue();
  }

  private void readOutput() {
    try (var reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      reader.lines().forEach(output::add);
    } catch (IOException | UncheckedIOException e) {
      // The process has ended.
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
