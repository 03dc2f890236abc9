package io.sluice.bench.throughput;

import io.sluice.bench.process.ProcessorTime;
import java.util.Map;

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

  /** In microseconds. */
  double perToken(long millis) {
    return millis * MICROS / tokens;
  }
}
