package io.sluice.bench.footprint;

import io.sluice.bench.process.ProcessStatus;
import io.sluice.bench.process.ProcessorTime;
import io.sluice.bench.stat.Samples;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** What one process took in each phase of all runs. Not thread-safe. */
final class Footprint {
  private static final double KIB_PER_MIB = 1024;

  /** A part of a run. */
  enum Phase {
    /** It has just started and is unused. */
    STARTED,
    /** It is used. */
    LOADED,
    /** It was used before. */
    IDLE
  }

  /**
   * What it took in one phase, by run.
   *
   * @param cores processor time divided by time
   * @param memory resident MiB at the end of the phase; of {@link Phase#LOADED} the most so far
   */
  record Usage(Samples cores, Samples memory) {
    private Usage() {
      this(new Samples(), new Samples());
    }
  }

  private final Map<Phase, Usage> usages = new EnumMap<>(Phase.class);

  Footprint() {
    for (Phase phase : Phase.values()) {
      usages.put(phase, new Usage());
    }
  }

  /** Returns what the process took in a phase. */
  Usage in(Phase phase) {
    return Objects.requireNonNull(usages.get(phase));
  }

  /** A phase of one process that has begun. */
  final class Begun {
    private final Phase phase;
    private final long pid;
    private final long startMillis;
    private final long startNanos = System.nanoTime();

    private Begun(Phase phase, long pid) throws IOException {
      this.phase = phase;
      this.pid = pid;
      this.startMillis = processorMillis(pid);
    }

    /**
     * The phase is over.
     *
     * @throws IOException if the process has ended
     */
    void end() throws IOException {
      double elapsedMillis = (System.nanoTime() - startNanos) / 1e6;
      ProcessStatus status = ProcessStatus.of(pid).orElseThrow(() -> hasEnded(pid));
      long kib = phase == Phase.LOADED ? status.peakKib() : status.residentKib();
      in(phase).cores().add((processorMillis(pid) - startMillis) / elapsedMillis);
      in(phase).memory().add(kib / KIB_PER_MIB);
    }
  }

  /**
   * A phase begins.
   *
   * @throws IOException if the process has ended
   */
  Begun begin(Phase phase, long pid) throws IOException {
    return new Begun(phase, pid);
  }

  private static long processorMillis(long pid) throws IOException {
    return ProcessorTime.of(pid).orElseThrow(() -> hasEnded(pid)).all();
  }

  private static IOException hasEnded(long pid) {
    return new IOException("process " + pid + " has ended, or this is not Linux");
  }
}
