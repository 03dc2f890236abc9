package io.sluice.standalone.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A process's resident memory as reported by Linux.
 *
 * @param peakMib the maximum so far
 */
record Memory(long nowMib, long peakMib) {
  private static final int KIB_PER_MIB = 1024;

  static Memory of(ProcessHandle process) throws IOException {
    long now = 0;
    long peak = 0;
    for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        now = mib(line);
      } else if (line.startsWith("VmHWM:")) {
        peak = mib(line);
      }
    }
    return new Memory(now, peak);
  }

  private static long mib(String line) {
    return Long.parseLong(line.replaceAll("[^0-9]", "")) / KIB_PER_MIB;
  }
}
