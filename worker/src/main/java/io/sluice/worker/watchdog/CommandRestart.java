package io.sluice.worker.watchdog;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.time.Duration;

/**
 * Restarts an engine by a shell command, which gets the environment variables {@code
 * SLUICE_WORKER_ID}, {@code SLUICE_ENGINE_URL} and {@code SLUICE_RESTART_CAUSE}. What it prints
 * goes to standard error. A command that does not end in time is killed with its processes.
 */
record CommandRestart(String command, String workerId, URI engine, Duration atMost)
    implements RestartAction {
  private static final String TO_STANDARD_ERROR = "exec 1>&2\n";
  private static final File NOTHING = new File("/dev/null");

  @Override
  public void restart(String cause) throws RestartFailedException, InterruptedException {
    Process process = start(cause);
    boolean hasEnded = false;
    try {
      hasEnded = process.waitFor(atMost);
    } finally {
      if (!hasEnded) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    }
    if (!hasEnded) {
      throw new RestartFailedException(
          "the restart command did not end within %d ms".formatted(atMost.toMillis()));
    }
    if (process.exitValue() != 0) {
      throw new RestartFailedException(
          "the restart command ended with status " + process.exitValue());
    }
  }

  private Process start(String cause) throws RestartFailedException {
    var builder =
        new ProcessBuilder("sh", "-c", TO_STANDARD_ERROR + command)
            .inheritIO()
            .redirectInput(Redirect.from(NOTHING));
    builder.environment().put("SLUICE_WORKER_ID", workerId);
    builder.environment().put("SLUICE_ENGINE_URL", engine.toString());
    builder.environment().put("SLUICE_RESTART_CAUSE", cause);
    try {
      return builder.start();
    } catch (IOException e) {
      throw new RestartFailedException("the restart command does not start: " + e.getMessage());
    }
  }
}
