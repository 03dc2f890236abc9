package io.sluice.bench.overhead;

import io.sluice.bench.process.ProcessStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * A way to the engine.
 *
 * @param pid its process, whose processor time is measured; empty for none
 */
record Contestant(String name, Way way, Optional<Long> pid) {
  private static final int KIB_PER_MIB = 1024;

  /** Sends one request and reads its stream. */
  @FunctionalInterface
  interface Way {
    /** Reads a stream to its end; an exception counts as a failed stream. */
    void stream(StreamSamples.Reading reading) throws Exception;
  }

  /** Returns the most memory that its process and the processes it started had resident, in MiB. */
  OptionalLong peakMib() {
    return pid.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(
            ProcessHandle.of(pid.get()).stream()
                .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
                .flatMap(one -> ProcessStatus.of(one.pid()).stream())
                .mapToLong(status -> status.peakKib() / KIB_PER_MIB)
                .sum());
  }

  /** Returns the processor time that its process and the processes it started have used. */
  Optional<Duration> processorTime() {
    return pid.flatMap(ProcessHandle::of)
        .map(
            process ->
                Stream.concat(Stream.of(process), process.descendants())
                    .flatMap(one -> one.info().totalCpuDuration().stream())
                    .reduce(Duration.ZERO, Duration::plus));
  }
}
