package io.sluice.bench.process;

import java.io.IOException;

/** Sends signals that Java cannot send itself. */
public final class Signals {
  private Signals() {}

  /** Sends a signal to a process, or to a process group if the number is negative. */
  public static void send(String pid, String signal) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + signal, "--", pid)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
