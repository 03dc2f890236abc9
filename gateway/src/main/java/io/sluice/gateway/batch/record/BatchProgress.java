package io.sluice.gateway.batch.record;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What a batch has reached. Immutable.
 *
 * @param reachedAt when it reached each phase, by the phase's label, in milliseconds since 1970
 * @param total how many requests the input has; 0 while that is not known
 * @param model that of the input's first request, if it names one
 * @param counts of all results, also of those after the checkpoint
 * @param problems of the input, the first of them
 * @param hasOutput whether there is a file with answers
 * @param hasErrors whether there is a file with errors
 */
public record BatchProgress(
    String id,
    Phase phase,
    Map<String, Long> reachedAt,
    long total,
    Optional<String> model,
    Counts counts,
    Checkpoint checkpoint,
    List<LineProblem> problems,
    boolean hasOutput,
    boolean hasErrors)
    implements BatchRecord {
  private static final int RECORD_BYTES = 500;
  private static final int PROBLEM_BYTES = 64;

  /** Completes what is absent in a stored record. */
  @JsonCreator
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public BatchProgress {
    Objects.requireNonNull(id, "the progress has no id");
    Objects.requireNonNull(phase, "the progress has no phase");
    Objects.requireNonNull(counts, "the progress has no counts");
    Objects.requireNonNull(checkpoint, "the progress has no checkpoint");
    reachedAt = Map.copyOf(reachedAt);
    model = model == null ? Optional.empty() : model;
    problems = List.copyOf(problems);
  }

  /** Returns the progress of a batch that has not begun. */
  public static BatchProgress none(String id) {
    return new BatchProgress(
        id,
        Phase.VALIDATING,
        Map.of(),
        0,
        Optional.empty(),
        Counts.NONE,
        Checkpoint.START,
        List.of(),
        false,
        false);
  }

  /** Returns when the batch reached a phase, in milliseconds since 1970. */
  public OptionalLong reached(Phase wanted) {
    Long at = reachedAt.get(wanted.label());
    return at == null ? OptionalLong.empty() : OptionalLong.of(at);
  }

  /** Returns this progress in a later phase. */
  public BatchProgress in(Phase next, long atMillis) {
    Map<String, Long> times = new TreeMap<>(reachedAt);
    times.putIfAbsent(next.label(), atMillis);
    return new BatchProgress(
        id, next, times, total, model, counts, checkpoint, problems, hasOutput, hasErrors);
  }

  /**
   * Returns this progress after the input was read.
   *
   * @param first the model of the first request
   */
  public BatchProgress scanned(long requests, Optional<String> first, List<LineProblem> found) {
    return new BatchProgress(
        id, phase, reachedAt, requests, first, counts, checkpoint, found, hasOutput, hasErrors);
  }

  /** Returns this progress with more results. */
  public BatchProgress at(Checkpoint next, Counts all) {
    return new BatchProgress(
        id, phase, reachedAt, total, model, all, next, problems, hasOutput, hasErrors);
  }

  /** Returns this progress with its files complete, which know their parts themselves. */
  public BatchProgress filed() {
    return new BatchProgress(
        id,
        phase,
        reachedAt,
        total,
        model,
        counts,
        checkpoint.withoutParts(),
        problems,
        !checkpoint.output().isEmpty(),
        !checkpoint.errors().isEmpty());
  }

  /** Returns about how many bytes its record has. */
  public long recordBytes() {
    return RECORD_BYTES + checkpoint.recordBytes() + problemBytes();
  }

  /**
   * Returns about how many bytes of memory it needs in addition to one without problems and parts.
   */
  long memoryBytes() {
    return checkpoint.memoryBytes() + problemBytes();
  }

  private long problemBytes() {
    return problems.stream()
        .mapToLong(problem -> problem.message().length() + (long) PROBLEM_BYTES)
        .sum();
  }

  /**
   * Returns whether this is at least as far as the other. Two gateways run a batch for a moment if
   * one of them was taken for dead.
   */
  boolean isAtLeast(BatchProgress other) {
    int order = phase.compareTo(other.phase);
    if (other.phase.isEnd() || order != 0) {
      return order > 0 && !other.phase.isEnd();
    }
    return checkpoint.bytes() >= other.checkpoint.bytes();
  }
}
