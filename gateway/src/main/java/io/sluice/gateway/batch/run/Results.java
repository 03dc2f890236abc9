package io.sluice.gateway.batch.run;

import io.sluice.gateway.batch.record.Checkpoint;
import io.sluice.gateway.batch.record.Counts;
import io.sluice.gateway.files.StorageException;
import io.sluice.producer.batch.Lines.Position;
import java.time.Duration;

/** The results of a run, and when they are to be stored and shown. Not thread-safe. */
final class Results {
  private final Pace pace;
  private final int mostUnshown;
  private final ResultParts output;
  private final ResultParts errors;
  private Position position;
  private Counts counts;
  private Checkpoint checkpoint;
  private Counts shown;
  private long storedNanos = System.nanoTime();
  private long shownNanos = System.nanoTime();

  /**
   * @param mostUnshown how many results are shown at the latest: a run that continues must know how
   *     far this one has come
   */
  Results(ResultParts output, ResultParts errors, Checkpoint from, Pace pace, int mostUnshown) {
    this.pace = pace;
    this.mostUnshown = mostUnshown;
    this.output = output;
    this.errors = errors;
    this.position = new Position(from.bytes(), from.lines());
    this.counts = from.counts();
    this.shown = counts;
    this.checkpoint = from;
  }

  /**
   * Adds the result of the next line; stores the results if they are many.
   *
   * @throws StorageException if the storage fails
   */
  void add(LineWindow.Done line) {
    (line.result().isAnswer() ? output : errors).append(line.result().json());
    counts = counts.plus(line.result().counts());
    position = line.after();
    if (output.pendingBytes() + errors.pendingBytes() >= pace.storedBytes()) {
      var _ = flushed();
    }
  }

  /** Returns what all lines up to now add up to. */
  Counts counts() {
    return counts;
  }

  /**
   * Returns whether the progress should be published.
   *
   * @param recordBytes the size of its record
   */
  boolean isDue(long recordBytes) {
    return !counts.equals(shown)
        && (isOver(shownNanos, pace.shownWithin(recordBytes))
            || counts.results() - shown.results() >= mostUnshown);
  }

  /**
   * Returns the checkpoint to publish; stores the results first if that is due.
   *
   * @throws StorageException if the storage fails
   */
  Checkpoint checkpoint() {
    shown = counts;
    shownNanos = System.nanoTime();
    return isOver(storedNanos, pace.storedWithin(checkpoint.parts())) ? flushed() : checkpoint;
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

  private static boolean isOver(long sinceNanos, Duration time) {
    return System.nanoTime() - sinceNanos >= time.toNanos();
  }
}
