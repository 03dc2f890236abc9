package io.sluice.bench.soak;

import io.sluice.bench.process.ProcessStatus;

/**
 * How one process develops. Not thread-safe.
 *
 * @param name of the process
 * @param memory resident, MiB
 */
record ProcessTrend(String name, Trend memory, Trend threads, Trend descriptors) {
  private static final double KIB_PER_MIB = 1024;

  ProcessTrend(String name) {
    this(name, new Trend(), new Trend(), new Trend());
  }

  void add(double minutes, ProcessStatus status) {
    memory.add(minutes, status.residentKib() / KIB_PER_MIB);
    threads.add(minutes, status.threads());
    descriptors.add(minutes, status.descriptors());
  }
}
