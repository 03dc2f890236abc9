package io.sluice.standalone.measure;

import io.sluice.standalone.launch.GuardedCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A command of the launcher in a process of its own. */
final class LaunchedService implements AutoCloseable {
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);

  private final Process process;
  private final List<String> output;

  private LaunchedService(Process process, List<String> output) {
    this.process = process;
    this.output = List.copyOf(output);
  }

  /**
   * Starts a command and waits for a line of its output.
   *
   * @throws IOException if the command ends, or a long time passes, without that line
   */
  static LaunchedService start(String readyText, List<String> arguments)
      throws IOException, InterruptedException {
    return start(readyText, arguments, System.getenv().getOrDefault("SLUICE_JAVA_OPTS", ""));
  }

  /** Starts a command with JVM flags. */
  static LaunchedService start(String readyText, List<String> arguments, String javaFlags)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("sluice.home"), "sluice").toString());
    command.addAll(arguments);
    long start = System.nanoTime();
    ProcessBuilder builder =
        new ProcessBuilder(GuardedCommand.of(command))
            .directory(Path.of(System.getProperty("java.io.tmpdir")).toFile())
            .redirectErrorStream(true);
    builder.environment().put("SLUICE_JAVA_OPTS", javaFlags);
    Process process = builder.start();
    CountDownLatch ready = new CountDownLatch(1);
    List<String> output = new ArrayList<>();
    // Not a virtual thread, because a pipe would block its carrier.
    Thread.ofPlatform().daemon().start(() -> follow(process, readyText, output, ready));
    boolean isReady = false;
    while (!isReady && process.isAlive() && System.nanoTime() - start < READY_WITHIN.toNanos()) {
      isReady = ready.await(20, TimeUnit.MILLISECONDS);
    }
    if (!isReady && !ready.await(1, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException(
          "%s was not ready; it said: %s".formatted(arguments, String.join("\n", output)));
    }
    return new LaunchedService(process, output);
  }

  private static void follow(
      Process process, String readyText, List<String> output, CountDownLatch ready) {
    try (var reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (ready.getCount() > 0) {
          output.add(line);
        }
        if (line.contains(readyText)) {
          ready.countDown();
        }
      }
    } catch (IOException e) {
      // The process has ended.
    }
  }

  /** Returns the output until the command was ready. */
  List<String> output() {
    return output;
  }

  /** Returns the CPU time so far. */
  Duration cpu() {
    return cpu(process.toHandle());
  }

  static Duration cpu(ProcessHandle process) {
    return process.info().totalCpuDuration().orElseThrow();
  }

  Memory memory() throws IOException {
    return Memory.of(process.toHandle());
  }

  /** Returns the CPU time of all threads since the start. */
  Duration processorTime() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Kills the process like {@code kill -9}. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Stops the command like Ctrl-C. */
  @Override
  public void close() throws InterruptedException {
    // Process.destroy() also closes the standard input, and the guard would kill the service.
    process.toHandle().destroy();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }
}
