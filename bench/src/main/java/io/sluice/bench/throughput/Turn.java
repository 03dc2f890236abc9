package io.sluice.bench.throughput;

import io.sluice.bench.process.ProcessorTime;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * What one turn took.
 *
 * @param tokens that came to their callers
 * @param seconds from the first request to the last answer
 * @param kafkaBytes that were appended to all topics
 * @param processor what each process used
 */
record Turn(long tokens, double seconds, long kafkaBytes, Map<String, ProcessorTime> processor) {
  private static final double MICROS = 1_000;

  Turn {
    processor = Map.copyOf(processor);
  }

  double tokensPerSecond() {
    return tokens / seconds;
  }

  double bytesPerToken() {
    return (double) kafkaBytes / tokens;
  }

  /** Returns the part of the processor time that the JVM's compilers took, 0 to 1. */
  double compilersShare() {
    return (double) sum(ProcessorTime::compiler) / Math.max(1, sum(ProcessorTime::all));
  }

  private long sum(ToLongFunction<ProcessorTime> part) {
    return processor.values().stream().mapToLong(part).sum();
  }

  /** In microseconds. */
  double perToken(long millis) {
    return millis * MICROS / tokens;
  }
}
