package io.sluice.bench.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process that can be killed, frozen and started again. Its output goes to a file. It ends when
 * this process ends, in whichever way. Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {
  private static final Duration STOP_WITHIN = Duration.ofSeconds(45);

  private final String name;
  private final Launch launch;
  private final Path log;
  private @Nullable Process process;
  private long outputBefore;

  /** A process that is not started yet. */
  public ChildProcess(String name, Launch launch, Path log) {
    this.name = name;
    this.launch = launch;
    this.log = log;
  }

  /** Returns whether it starts other processes, which get its signals too. */
  public boolean isGroup() {
    return launch.isGroup();
  }

  public String name() {
    return name;
  }

  /** Starts the process; does nothing if it runs. */
  public synchronized void start() throws IOException {
    if (isAlive()) {
      return;
    }
    outputBefore = Files.exists(log) ? Files.size(log) : 0;
    ProcessBuilder builder =
        new ProcessBuilder(launch.guarded())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(launch.environment());
    process = builder.start();
  }

  /**
   * Waits until the process is ready.
   *
   * @throws IOException if it ends before it is ready, or takes too long
   */
  public void awaitReady(Duration limit) throws IOException, InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!launch.readiness().isReady(output())) {
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

  /**
   * Returns the process id.
   *
   * @throws IllegalStateException if it was never started
   */
  public synchronized long pid() {
    if (process == null) {
      throw new IllegalStateException(name + " was not started");
    }
    return process.pid();
  }

  public synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** Returns the exit code; empty if the process runs or was never started. */
  public synchronized OptionalInt exitCode() {
    return process == null || process.isAlive()
        ? OptionalInt.empty()
        : OptionalInt.of(process.exitValue());
  }

  /** Sends SIGKILL; returns when the process has ended. */
  public void kill() throws IOException, InterruptedException {
    signal("KILL");
    reap();
  }

  /** Sends SIGTERM, and kills the process if it has not ended after a while. */
  public boolean terminate() throws IOException, InterruptedException {
    Process its;
    synchronized (this) {
      its = process;
    }
    if (its == null) {
      return true;
    }
    // Does not use destroy(): it also closes the standard input, and the guard would kill the
    // process.
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

  /**
   * Sends a signal to the process, or to all processes of its group. It has no effect on a process
   * that has ended, but the others of its group may still run.
   */
  public synchronized void signal(String signal) throws IOException, InterruptedException {
    if (process != null && launch.isGroup()) {
      Signals.send("-" + process.pid(), signal);
    } else if (isAlive()) {
      Signals.send(Long.toString(Objects.requireNonNull(process).pid()), signal);
    }
  }

  /** Sends a signal to the process only, and not to the processes that it started. */
  public synchronized void signalLeader(String signal) throws IOException, InterruptedException {
    if (process != null) {
      Signals.send(Long.toString(process.pid()), signal);
    }
  }

  /**
   * Kills a process that this one started.
   *
   * @param title a part of the process's title
   * @throws IOException if there is no such process
   */
  public synchronized void killPart(String title) throws IOException {
    ProcessHandle part =
        Optional.ofNullable(process).stream()
            .flatMap(Process::descendants)
            .filter(child -> title(child).contains(title))
            .findFirst()
            .orElseThrow(
                () ->
                    new IOException("no process of " + name + " has '" + title + "' in its title"));
    part.destroyForcibly();
  }

  /** Returns the title as Linux reports it, since a process may change its title. */
  private static String title(ProcessHandle child) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(child.pid()), "cmdline"));
    } catch (IOException e) {
      return "";
    }
  }

  /** Returns the output since the last start. */
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
      // It also ends because its standard input is closed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
