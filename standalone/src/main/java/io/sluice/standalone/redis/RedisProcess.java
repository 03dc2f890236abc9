package io.sluice.standalone.redis;

import io.sluice.standalone.launch.GuardedCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running Redis server that ends with this process. */
final class RedisProcess implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RedisProcess.class);
  private static final Duration START_LIMIT = Duration.ofSeconds(10);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(4);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(1);
  private static final String READY = "Ready to accept connections";

  private final Process process;

  private RedisProcess(Process process) {
    this.process = process;
  }

  /** Why an executable could not be started as a server, in a few words. */
  static final class StartFailure extends Exception {
    private static final long serialVersionUID = 1L;

    StartFailure(String message) {
      super(message);
    }
  }

  static RedisProcess start(RedisBinary binary, RedisSettings settings) throws StartFailure {
    try {
      Path directory = Files.createTempDirectory("sluice-redis-");
      try {
        Path executable = binary.locator().locate(directory);
        Path configuration = directory.resolve("redis.conf");
        Files.writeString(configuration, settings.configuration());
        var redis =
            new RedisProcess(
                command(executable, configuration).directory(directory.toFile()).start());
        redis.awaitReady();
        return redis;
      } finally {
        // A running server needs neither its files nor its folder, so nothing is left over.
        delete(directory);
      }
    } catch (IOException | RuntimeException e) {
      throw new StartFailure(Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }

  private static ProcessBuilder command(Path executable, Path configuration) {
    // The terminal's Ctrl-C must not reach the server: its owner stops it after the services that
    // need it.
    return new ProcessBuilder(
            GuardedCommand.inSession(List.of(executable.toString(), configuration.toString())))
        .redirectErrorStream(true);
  }

  /** Returns the server's process, which has replaced the shell that started it. */
  ProcessHandle handle() {
    return process.toHandle();
  }

  private void awaitReady() throws StartFailure {
    var ready = new CompletableFuture<Boolean>();
    var lastLine = new CompletableFuture<String>();
    // Reading from a pipe blocks the carrier of a virtual thread, and a machine with one core has
    // only one.
    Thread.ofPlatform().daemon().name("redis-output").start(() -> readOutput(ready, lastLine));
    try {
      if (ready.get(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
      throw new StartFailure(lastLine.get(KILL_LIMIT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      close();
      throw new StartFailure("not ready within %d s".formatted(START_LIMIT.toSeconds()));
    } catch (ExecutionException e) {
      close();
      throw new StartFailure(e.toString());
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted");
    }
  }

  /** Reads the output to its end, also after the start: a full pipe would block the server. */
  private void readOutput(CompletableFuture<Boolean> ready, CompletableFuture<String> lastLine) {
    String last = "it ended without output";
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        log.debug("event=redis_output line=\"{}\"", line);
        if (line.contains(READY)) {
          ready.complete(true);
        }
        last = line.isBlank() ? last : line.strip();
      }
    } catch (IOException e) {
      log.debug("event=redis_output_ended reason=\"{}\"", e.toString());
    }
    lastLine.complete(last);
    ready.complete(false);
  }

  /** Asks the server to end, and kills it if it does not. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_LIMIT)) {
        process.destroyForcibly();
        process.waitFor(KILL_LIMIT);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private static void delete(Path directory) {
    try {
      Utils.delete(directory.toFile());
    } catch (IOException e) {
      log.debug("event=files_left directory={} reason=\"{}\"", directory, e.toString());
    }
  }
}
