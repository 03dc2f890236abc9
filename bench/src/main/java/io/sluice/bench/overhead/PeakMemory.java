package io.sluice.bench.overhead;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads what Linux tells of a process's memory. */
final class PeakMemory {
  private static final String PEAK = "VmHWM:";
  private static final int KIB_PER_MIB = 1024;

  private PeakMemory() {}

  /** The most memory that a process had resident, in MiB; 0 if that is not known. */
  static long ofProcess(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
          .filter(line -> line.startsWith(PEAK))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / KIB_PER_MIB)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }
}
