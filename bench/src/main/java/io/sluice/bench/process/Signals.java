package io.sluice.bench.process;

import java.io.IOException;

/** Signals that Java itself cannot send. */
public final class Signals {
  private Signals() {}

  /** To a process, or to a group, whose number then is negative. */
  public static void send(String pid, String signal) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + signal, "--", pid)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
