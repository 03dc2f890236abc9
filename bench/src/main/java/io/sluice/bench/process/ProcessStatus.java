package io.sluice.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What Linux reports about a process.
 *
 * @param residentKib its resident memory, KiB
 * @param peakKib the most resident memory that it had, KiB
 * @param threads its threads of the operating system
 * @param descriptors its open files and sockets
 */
public record ProcessStatus(long residentKib, long peakKib, int threads, int descriptors) {

  /** Reads the status; empty if the process has ended, or the system does not tell. */
  public static Optional<ProcessStatus> of(long pid) {
    Path process = Path.of("/proc", Long.toString(pid));
    try {
      List<String> lines = Files.readAllLines(process.resolve("status"));
      String[] open = process.resolve("fd").toFile().list();
      return Optional.of(
          new ProcessStatus(
              number(lines, "VmRSS:"),
              number(lines, "VmHWM:"),
              (int) number(lines, "Threads:"),
              open == null ? 0 : open.length));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static long number(List<String> lines, String field) {
    return lines.stream()
        .filter(line -> line.startsWith(field))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
        .findFirst()
        .orElse(0);
  }
}
