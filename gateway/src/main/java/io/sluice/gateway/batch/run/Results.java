package io.sluice.gateway.batch.run;

import io.sluice.gateway.batch.record.Checkpoint;
import io.sluice.gateway.batch.record.Counts;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.StorageException;
import io.sluice.producer.batch.Lines.Position;
import java.time.Duration;

/** The results of a run, and when they are to be stored and shown. Not thread-safe. */
final class Results {
  /**
   * How often results are stored and shown. What is not stored is read again from the pool if the
   * gateway dies.
   *
   * @param storedBytes what may be in memory
   */
  record Pace(int storedBytes, Duration storedWithin, Duration shownWithin) {
    static final Pace STANDARD =
        new Pace(FileStore.PART_BYTES, Duration.ofSeconds(30), Duration.ofSeconds(1));
  }

  private final Pace pace;
  private final ResultParts output;
  private final ResultParts errors;
  private Position position;
  private Counts counts;
  private Checkpoint checkpoint;
  private Counts shown;
  private long storedNanos = System.nanoTime();
  private long shownNanos = System.nanoTime();

  Results(ResultParts output, ResultParts errors, Checkpoint from, Pace pace) {
    this.pace = pace;
    this.output = output;
    this.errors = errors;
    this.position = new Position(from.bytes(), from.lines());
    this.counts = from.counts();
    this.shown = counts;
    this.checkpoint = from;
  }

  /** Adds the result of the next line. */
  void add(LineWindow.Done line) {
    (line.result().isAnswer() ? output : errors).append(line.result().json());
    counts = counts.plus(line.result().counts());
    position = line.after();
  }

  /** Returns what all lines up to now add up to. */
  Counts counts() {
    return counts;
  }

  /** Returns whether the progress should be published. */
  boolean isDue() {
    return isFull() || (!counts.equals(shown) && isOver(shownNanos, pace.shownWithin()));
  }

  /**
   * Returns the checkpoint to publish; stores the results first if that is due.
   *
   * @throws StorageException if the storage fails
   */
  Checkpoint checkpoint() {
    shown = counts;
    shownNanos = System.nanoTime();
    return isFull() || isOver(storedNanos, pace.storedWithin()) ? flushed() : checkpoint;
  }

  /**
   * Stores the results, and returns the checkpoint behind them.
   *
   * @throws StorageException if the storage fails
   */
  Checkpoint flushed() {
    checkpoint =
        new Checkpoint(position.bytes(), position.lines(), counts, output.flush(), errors.flush());
    storedNanos = System.nanoTime();
    return checkpoint;
  }

  private boolean isFull() {
    return output.pendingBytes() + errors.pendingBytes() >= pace.storedBytes();
  }

  private static boolean isOver(long sinceNanos, Duration time) {
    return System.nanoTime() - sinceNanos >= time.toNanos();
  }
}
