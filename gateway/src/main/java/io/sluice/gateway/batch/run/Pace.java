package io.sluice.gateway.batch.run;

import io.sluice.gateway.files.FileStore;
import java.time.Duration;

/**
 * How often results are stored and shown. What is not stored is read again from the pool if the
 * gateway dies. Each time that they are shown, one record names all parts that are stored, so that
 * both come less often as these grow: the parts of a day stay some hundreds, and a batch writes
 * some 10 KB a second to the log at most.
 *
 * @param storedBytes what may be in memory
 * @param storedWithin for the first parts
 * @param shownWithin as long as the record is small
 */
record Pace(int storedBytes, Duration storedWithin, Duration shownWithin) {
  static final Pace STANDARD =
      new Pace(FileStore.PART_BYTES, Duration.ofSeconds(30), Duration.ofSeconds(1));

  private static final int FEW_PARTS = 15;
  private static final int SMALL_RECORD_BYTES = 10_000;

  /**
   * @param parts that are stored already
   */
  Duration storedWithin(int parts) {
    return storedWithin.multipliedBy(Math.max(FEW_PARTS, parts)).dividedBy(FEW_PARTS);
  }

  /**
   * @param recordBytes what the last record had
   */
  Duration shownWithin(long recordBytes) {
    return shownWithin
        .multipliedBy(Math.max(SMALL_RECORD_BYTES, recordBytes))
        .dividedBy(SMALL_RECORD_BYTES);
  }
}
