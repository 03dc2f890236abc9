package io.sluice.bench.torture;

import java.io.IOException;

/** Signals that Java itself cannot send. */
final class Signals {
  private Signals() {}

  /** To a process, or to a group, whose number then is negative. */
  static void send(String pid, String signal) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + signal, "--", pid)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
