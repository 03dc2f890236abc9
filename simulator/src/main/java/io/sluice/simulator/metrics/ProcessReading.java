package io.sluice.simulator.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The resource usage of the process, with the figures of the Java runtime where a real server has
 * those of Python.
 *
 * @param collections the number of garbage collections so far
 * @param virtualBytes the virtual memory in bytes; 0 if unknown
 * @param residentBytes the resident memory in bytes; 0 if unknown
 * @param cpuSeconds the processor time so far
 * @param openFiles the number of open file descriptors; 0 if unknown
 * @param maxFiles the limit of file descriptors; 0 if unknown
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

  /** Reads the resource usage of this process. */
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
      // The file exists on Linux only.
      return Runtime.getRuntime().totalMemory();
    }
  }
}
