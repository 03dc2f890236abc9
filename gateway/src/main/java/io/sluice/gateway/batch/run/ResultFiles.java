package io.sluice.gateway.batch.run;

import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.Checkpoint;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.StorageException;
import io.sluice.gateway.files.StoredFile;
import io.sluice.gateway.files.StoredFile.Part;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** The files with the results of a batch, as one run of it writes them. Used by one thread. */
final class ResultFiles {
  private static final Duration KEPT = Duration.ofDays(30);
  private static final String PURPOSE = "batch_output";
  private static final int RADIX = 36;

  private final FileStore files;
  private final Clock clock;
  private final CreatedBatch created;
  private final String outputId;
  private final String errorsId;

  /** Names this run's parts, so that two runs never replace each other's. */
  private final String run = Long.toString(new SecureRandom().nextLong() >>> 1, RADIX);

  ResultFiles(Batch batch, FileStore files, Clock clock) {
    this.files = files;
    this.clock = clock;
    this.created = batch.created();
    this.outputId = batch.outputFileId();
    this.errorsId = batch.errorFileId();
  }

  /**
   * Returns the results behind a checkpoint.
   *
   * @param mostUnshown how many results are shown at the latest
   */
  Results from(Checkpoint checkpoint, Pace pace, int mostUnshown) {
    return new Results(
        parts(outputId, checkpoint.output()),
        parts(errorsId, checkpoint.errors()),
        checkpoint,
        pace,
        mostUnshown);
  }

  private ResultParts parts(String fileId, List<Part> stored) {
    return new ResultParts(files, fileId, created.tenant(), run, stored);
  }

  /**
   * Completes the files with what is stored. A file without results is not made.
   *
   * @throws StorageException if the storage fails
   */
  void finish(Checkpoint last) {
    finish(outputId, "output", last.output());
    finish(errorsId, "errors", last.errors());
  }

  private void finish(String fileId, String kind, List<Part> parts) {
    if (parts.isEmpty()) {
      return;
    }
    Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    Duration kept = Duration.ofSeconds(created.outputKeptSeconds().orElse(KEPT.toSeconds()));
    var _ =
        files.finish(
            new StoredFile(
                fileId,
                created.tenant(),
                created.id() + "_" + kind + ".jsonl",
                PURPOSE,
                now,
                Optional.of(now.plus(kept)),
                parts));
  }
}
