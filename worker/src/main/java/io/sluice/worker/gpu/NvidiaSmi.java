package io.sluice.worker.gpu;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads GPUs by running {@code nvidia-smi}. A run that does not end in time is killed with its
 * processes. One that even that does not end, because it hangs in the driver, is not joined by
 * another. For one thread.
 */
final class NvidiaSmi implements GpuReader {
  static final Duration AT_MOST = Duration.ofSeconds(10);

  /** The field's name since driver 535, and the one before. */
  private static final List<String> REASONS =
      List.of("clocks_event_reasons.active", "clocks_throttle_reasons.active");

  private static final String NO_SUCH_FIELD = "is not a valid field to query";
  private static final int MOST_OUTPUT = 64 * 1024;
  private static final int MOST_SHOWN = 200;
  private static final Duration OUTPUT_BOUND = Duration.ofSeconds(1);
  private static final File NOTHING = new File("/dev/null");

  private final String command;
  private final Duration atMost;
  private final Iterator<String> names = REASONS.iterator();
  private String reasons = names.next();
  private @Nullable Process last;

  /**
   * A reader that has not run yet.
   *
   * @param command the executable
   * @param atMost how long a run may take
   */
  NvidiaSmi(String command, Duration atMost) {
    this.command = command;
    this.atMost = atMost;
  }

  @Override
  public List<Gpu> read() throws GpuReadingException, InterruptedException {
    Process process = start();
    String output = await(process);
    if (output.contains(NO_SUCH_FIELD) && names.hasNext()) {
      reasons = names.next();
      return read();
    }
    if (process.exitValue() != 0) {
      throw new GpuReadingException(
          "%s ended with status %d: %s".formatted(command, process.exitValue(), shown(output)));
    }
    List<Gpu> gpus = output.lines().map(SmiLine::parse).flatMap(Optional::stream).toList();
    if (gpus.isEmpty()) {
      throw new GpuReadingException("%s lists no GPU: %s".formatted(command, shown(output)));
    }
    return gpus;
  }

  private Process start() throws GpuReadingException {
    if (last != null && last.isAlive()) {
      throw new GpuReadingException(
          "%s hangs in the driver: process %d cannot be killed".formatted(command, last.pid()));
    }
    var builder =
        new ProcessBuilder(
                command,
                "--query-gpu=index,uuid,temperature.gpu," + reasons,
                "--format=csv,noheader,nounits")
            .redirectErrorStream(true)
            .redirectInput(Redirect.from(NOTHING));
    try {
      Process process = builder.start();
      last = process;
      return process;
    } catch (IOException e) {
      throw new GpuReadingException(
          "%s does not start: %s; install it, or set --gpu-readings to a DCGM exporter or none"
              .formatted(command, e.getMessage()));
    }
  }

  /** A process that prints more than is read waits until it is killed. */
  private String await(Process process) throws GpuReadingException, InterruptedException {
    var output =
        new FutureTask<>(() -> new String(process.getInputStream().readNBytes(MOST_OUTPUT), UTF_8));
    Thread.ofPlatform().daemon().name("sluice-nvidia-smi").start(output);
    boolean hasEnded = false;
    try {
      hasEnded = process.waitFor(atMost);
      if (!hasEnded) {
        throw new GpuReadingException(
            "%s did not end within %d ms".formatted(command, atMost.toMillis()));
      }
      return output.get(OUTPUT_BOUND.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new GpuReadingException("the output of %s cannot be read: %s".formatted(command, e));
    } finally {
      if (!hasEnded) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    }
  }

  private static String shown(String output) {
    String line = output.strip().lines().findFirst().orElse("it printed nothing");
    return line.length() > MOST_SHOWN ? line.substring(0, MOST_SHOWN) : line;
  }
}
