package io.sluice.bench.torture;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One process of the pool, which can be killed, frozen and started again; its output goes to a
 * file. It ends when this process ends, however that happens. Thread-safe.
 */
final class ChildProcess implements AutoCloseable {
  private static final Duration STOP_WITHIN = Duration.ofSeconds(45);

  /**
   * Becomes the service, beside a guard that kills it when our end of its standard input closes,
   * which also happens when this process is killed.
   */
  private static final String GUARDED_START =
      """
      exec 3<&0
      (cat <&3; kill -9 $$) >/dev/null 2>&1 &
      exec </dev/null 3<&-
      exec "$0" "$@"
      """;

  private final String name;
  private final List<String> command;
  private final Map<String, String> environment;
  private final Path log;
  private final String readyText;
  private @Nullable Process process;
  private long outputBefore;

  /**
   * A process that is not started yet.
   *
   * @param environment variables besides those of this process
   * @param readyText a text of its output that says it can be used
   */
  ChildProcess(
      String name,
      List<String> command,
      Map<String, String> environment,
      Path log,
      String readyText) {
    this.name = name;
    this.command = List.copyOf(command);
    this.environment = Map.copyOf(environment);
    this.log = log;
    this.readyText = readyText;
  }

  /** A JVM on this one's class path, small and quick to start. */
  static List<String> java(String maxHeap, Path temporary, String main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx" + maxHeap,
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Djava.io.tmpdir=" + temporary,
            "-Dlogback.configurationFile=logback.xml",
            "-cp",
            System.getProperty("java.class.path"),
            main));
    command.addAll(arguments);
    return command;
  }

  String name() {
    return name;
  }

  /** Without effect on one that runs. */
  synchronized void start() throws IOException {
    if (isAlive()) {
      return;
    }
    outputBefore = Files.exists(log) ? Files.size(log) : 0;
    List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARDED_START));
    guarded.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(guarded)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    process = builder.start();
  }

  /**
   * Waits until the process says that it can be used.
   *
   * @throws IOException if it ends before, or does not say so in time
   */
  void awaitReady(Duration limit) throws IOException, InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!output().contains(readyText)) {
      if (!isAlive() || System.nanoTime() - end > 0) {
        throw new IOException(
            "%s %s; see %s"
                .formatted(
                    name,
                    isAlive() ? "was not ready within " + limit.toSeconds() + " s" : "ended",
                    log));
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** As {@code kill -9}; returns when the process has ended. */
  void kill() throws IOException, InterruptedException {
    signal("KILL");
    reap();
  }

  /** As {@code kill}; kills the process if it has not ended after a while. */
  boolean terminate() throws IOException, InterruptedException {
    Process its;
    synchronized (this) {
      its = process;
    }
    if (its == null) {
      return true;
    }
    // Not destroy(): that closes the standard input too, and the guard would kill it.
    signal("TERM");
    boolean inTime = its.waitFor(STOP_WITHIN);
    kill();
    return inTime;
  }

  private void reap() throws IOException, InterruptedException {
    Process its;
    synchronized (this) {
      its = process;
    }
    if (its != null) {
      its.waitFor();
      its.getOutputStream().close();
    }
  }

  /** As {@code kill -SIGNAL}; without effect on a process that has ended. */
  synchronized void signal(String signal) throws IOException, InterruptedException {
    if (process != null && process.isAlive()) {
      Signals.send(process.pid(), signal);
    }
  }

  /** What it has said since it was started last. */
  private synchronized String output() throws IOException {
    if (!Files.exists(log)) {
      return "";
    }
    byte[] all = Files.readAllBytes(log);
    int from = (int) Math.min(outputBefore, all.length);
    return new String(all, from, all.length - from, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    try {
      kill();
    } catch (IOException e) {
      // Without its standard input it ends as well.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
