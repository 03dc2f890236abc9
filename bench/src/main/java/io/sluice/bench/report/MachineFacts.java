package io.sluice.bench.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Where and when something was measured.
 *
 * @param ended when, in UTC
 * @param loadBefore the load average of a minute at the start; negative where it is not known
 * @param loadAfter the same at the end
 */
record MachineFacts(
    String ended,
    String processor,
    int cores,
    long memoryMib,
    String system,
    String java,
    double loadBefore,
    double loadAfter) {
  private static final double KIB_PER_MIB = 1024;

  /**
   * Returns the facts at the end of a measurement.
   *
   * @param loadBefore {@link #load()} at its start
   */
  static MachineFacts now(double loadBefore) {
    return new MachineFacts(
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        fact(Path.of("/proc/cpuinfo"), "model name", System.getProperty("os.arch")),
        Runtime.getRuntime().availableProcessors(),
        installedMib(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.runtime.version"),
        loadBefore,
        load());
  }

  /** Returns the load average of the last minute; negative where it is not known. */
  static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /** Returns one line. */
  String text() {
    return String.format(
        Locale.ROOT,
        "%s: %d cores (%s), %d MiB, %s, Java %s; load average %.1f before and %.1f at the end",
        ended,
        cores,
        processor,
        memoryMib,
        system,
        java,
        loadBefore,
        loadAfter);
  }

  private static long installedMib() {
    String total = fact(Path.of("/proc/meminfo"), "MemTotal", "0 kB");
    return Math.round(Long.parseLong(total.split(" ", 2)[0]) / KIB_PER_MIB);
  }

  /** Returns the value of the first line with this name. */
  private static String fact(Path file, String name, String otherwise) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(otherwise);
    } catch (IOException e) {
      return otherwise;
    }
  }
}
