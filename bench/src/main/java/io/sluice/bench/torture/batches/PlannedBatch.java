package io.sluice.bench.torture.batches;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A batch as it was planned.
 *
 * @param name in the batch's metadata, so that a batch is known whose client was not told its id
 * @param at when its client begins, unless its client still waits for the batch before
 * @param endpoint of all its lines
 * @param cancelAfter how long after its requests run it is cancelled, if it is
 */
record PlannedBatch(
    String name,
    Duration at,
    String endpoint,
    List<PlannedLine> lines,
    Optional<Duration> cancelAfter) {
  PlannedBatch {
    lines = List.copyOf(lines);
  }

  /** Returns the input file. */
  String input() {
    return lines.stream().map(PlannedLine::text).collect(Collectors.joining("\n", "", "\n"));
  }
}
