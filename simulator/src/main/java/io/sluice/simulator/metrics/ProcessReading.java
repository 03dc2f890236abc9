package io.sluice.simulator.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the process takes of its machine, with the Java runtime's figures where a real server has
 * Python's.
 *
 * @param collections garbage collections so far
 * @param virtualBytes virtual memory; 0 if unknown
 * @param residentBytes memory in use; 0 if unknown
 * @param cpuSeconds processor time used so far
 * @param openFiles open file descriptors; 0 if unknown
 * @param maxFiles the most file descriptors; 0 if unknown
 */
record ProcessReading(
    long collections,
    long virtualBytes,
    long residentBytes,
    double cpuSeconds,
    long openFiles,
    long maxFiles) {

  private static final Path MEMORY = Path.of("/proc/self/statm");
  private static final long PAGE_BYTES = 4096;

  /** Reads the figures of this process. */
  static ProcessReading now() {
    long collections =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(GarbageCollectorMXBean::getCollectionCount)
            .filter(count -> count > 0)
            .sum();
    long resident = readResidentBytes();
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      return new ProcessReading(
          collections,
          system.getCommittedVirtualMemorySize(),
          resident,
          system.getProcessCpuTime() / 1e9,
          system.getOpenFileDescriptorCount(),
          system.getMaxFileDescriptorCount());
    }
    return new ProcessReading(collections, 0, resident, 0, 0, 0);
  }

  private static long readResidentBytes() {
    try {
      String[] pages = Files.readString(MEMORY).split(" ", 3);
      return Long.parseLong(pages[1]) * PAGE_BYTES;
    } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
      // Only Linux has the file.
      return Runtime.getRuntime().totalMemory();
    }
  }
}
