package io.sluice.bench.startup;

import io.sluice.bench.process.Launch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One run of a command.
 *
 * @param startedAtMillis when it was started, epoch milliseconds
 * @param firstMillis the time until its first output that is not white space; 0 if there was none
 * @param endMillis the time until it had ended
 */
record TimedCommand(long startedAtMillis, double firstMillis, double endMillis) {
  private static final Duration ENDS_WITHIN = Duration.ofMinutes(1);

  /**
   * Runs a command of the launcher.
   *
   * @throws IOException if it fails or does not end
   */
  static TimedCommand run(List<String> arguments) throws IOException, InterruptedException {
    long at = System.currentTimeMillis();
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(Launch.launcher(arguments)).redirectErrorStream(true).start();
    process.getOutputStream().close();
    var _ =
        process
            .onExit()
            .orTimeout(ENDS_WITHIN.toSeconds(), TimeUnit.SECONDS)
            .exceptionally(late -> process.destroyForcibly());
    double first = 0;
    var output = new ByteArrayOutputStream();
    try (InputStream in = process.getInputStream()) {
      byte[] buffer = new byte[8192];
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        output.write(buffer, 0, length);
        boolean isBlank = output.toString(StandardCharsets.UTF_8).isBlank();
        first = first == 0 && !isBlank ? millisSince(start) : first;
      }
    }
    int exitCode = process.waitFor();
    double end = millisSince(start);
    if (exitCode != 0) {
      throw new IOException(
          "%s ended with %d: %s"
              .formatted(
                  String.join(" ", arguments), exitCode, output.toString(StandardCharsets.UTF_8)));
    }
    return new TimedCommand(at, first, end);
  }

  private static double millisSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e6;
  }
}
