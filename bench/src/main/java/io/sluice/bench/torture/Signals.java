package io.sluice.bench.torture;

import java.io.IOException;

/** Signals that Java itself cannot send. */
final class Signals {
  private Signals() {}

  static void send(long pid, String signal) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
