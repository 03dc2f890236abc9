package io.sluice.bench.soak;

import io.sluice.bench.process.ProcessStatus;
import io.sluice.bench.process.ProcessorTime;

/**
 * How one process develops. Not thread-safe.
 *
 * @param name of the process
 * @param memory resident, MiB
 * @param processor time that was used so far, seconds
 */
record ProcessTrend(String name, Trend memory, Trend threads, Trend descriptors, Trend processor) {
  private static final double MILLIS = 1_000;
  private static final double SECONDS_PER_MINUTE = 60;
  private static final double KIB_PER_MIB = 1024;

  ProcessTrend(String name) {
    this(name, new Trend(), new Trend(), new Trend(), new Trend());
  }

  /** Returns how many processors it keeps busy. */
  double cores() {
    return processor.perMinute() / SECONDS_PER_MINUTE;
  }

  void add(double minutes, ProcessStatus status, ProcessorTime time) {
    processor.add(minutes, time.all() / MILLIS);
    memory.add(minutes, status.residentKib() / KIB_PER_MIB);
    threads.add(minutes, status.threads());
    descriptors.add(minutes, status.descriptors());
  }
}
