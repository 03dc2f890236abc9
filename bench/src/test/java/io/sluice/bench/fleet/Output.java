package io.sluice.bench.fleet;

import java.util.stream.Collectors;

/** What a command printed. */
public final class Output {
  private Output() {}

  /** Returns all lines but that of the machine, which has the time of the measurement. */
  public static String repeatable(String output) {
    return output
        .lines()
        .filter(line -> !line.contains("load average"))
        .collect(Collectors.joining("\n"));
  }
}
