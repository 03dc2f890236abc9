package io.sluice.gateway.batch.run;

import io.sluice.gateway.batch.record.Batch;
import io.sluice.gateway.batch.record.BatchLog;
import io.sluice.gateway.batch.record.BatchLogException;
import io.sluice.gateway.batch.record.BatchProgress;
import io.sluice.gateway.batch.record.Checkpoint;
import io.sluice.gateway.batch.record.Counts;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.batch.record.LineProblem;
import io.sluice.gateway.batch.record.Phase;
import io.sluice.gateway.config.BatchSettings;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.StorageException;
import io.sluice.gateway.files.StoredFile;
import io.sluice.producer.batch.LineErrorCode;
import io.sluice.producer.batch.Lines;
import io.sluice.producer.batch.Lines.Position;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one batch from what it has reached to its end. Whatever fails on the way ends the run, and
 * another run continues from the last checkpoint. Run it once; {@link #stop} may come from any
 * thread.
 */
final class BatchRun {
  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);
  private static final Duration GIVEN_UP_AFTER = Duration.ofHours(1);
  private static final Logger log = LoggerFactory.getLogger(BatchRun.class);

  private final BatchLog batchLog;
  private final FileStore files;
  private final BatchSettings limits;
  private final Pace pace;
  private final Clock clock;
  private final CreatedBatch created;
  private final ResultFiles results;
  private final LineMemory memory;
  private final LineSender sender;
  private final LineWindow window;
  private BatchProgress progress;
  private volatile boolean isStopped;

  BatchRun(
      Batch batch,
      BatchLog batchLog,
      FileStore files,
      LineFormat format,
      LinePool pool,
      BatchMemory memory,
      BatchSettings limits,
      Pace pace,
      Clock clock) {
    this.pace = pace;
    this.batchLog = batchLog;
    this.files = files;
    this.limits = limits;
    this.clock = clock;
    this.created = batch.created();
    this.results = new ResultFiles(batch, files, clock);
    this.progress = batch.progress();
    this.memory = memory.ofTenant(created.tenant());
    this.sender = new LineSender(created, format, pool, this.memory, clock);
    this.window = new LineWindow(limits.maxConcurrent(), memory);
  }

  /**
   * Runs the batch; returns when it has ended, or early after {@link #stop}.
   *
   * @throws IOException if the input cannot be read
   * @throws RuntimeException if the log, the storage or the pool fails
   */
  void run() throws IOException, InterruptedException {
    try (window) {
      if (progress.phase() == Phase.FINALIZING || runInput()) {
        finish();
      }
    } finally {
      sender.stop();
    }
  }

  /** Ends the run early; the pool continues with the requests. */
  void stop() {
    isStopped = true;
    sender.stop();
  }

  /** Gives the batch up if its runs still fail long after its time. */
  void failed(Exception reason) {
    if (clock.millis() < created.expiresAt() + GIVEN_UP_AFTER.toMillis()) {
      return;
    }
    try {
      fail(
          new LineProblem(
              LineErrorCode.INTERNAL_ERROR.code(), "the batch could not be run to its end", null));
    } catch (BatchLogException | StorageException e) {
      e.addSuppressed(reason);
      log.warn("event=batch_not_given_up batch={}", created.id(), e);
    }
  }

  /** Returns whether all lines have a result. */
  private boolean runInput() throws IOException, InterruptedException {
    Optional<StoredFile> input = files.find(created.inputFileId(), created.tenant());
    if (input.isEmpty()) {
      fail(new LineProblem("input_file_missing", "the input file no longer exists", null));
      return false;
    }
    InputScan scan = scan(input.get());
    if (scan.refusal().isPresent()) {
      progress = progress.scanned(scan.requests(), scan.model(), scan.problems());
      fail(scan.refusal().get());
      return false;
    }
    return runLines(input.get(), scan);
  }

  private InputScan scan(StoredFile input) throws IOException, InterruptedException {
    try (Lines lines = lines(input, Position.START)) {
      return InputScan.of(lines, created.endpoint(), limits.maxLines(), memory);
    }
  }

  /** Returns false if the run was stopped first. */
  private boolean runLines(StoredFile input, InputScan scan)
      throws IOException, InterruptedException {
    long maybeSent = maybeSent();
    if (progress.phase() != Phase.IN_PROGRESS) {
      progress = progress.scanned(scan.requests(), scan.model(), scan.problems());
      publish(progress.in(Phase.IN_PROGRESS, clock.millis()));
    } else {
      progress = progress.scanned(progress.total(), scan.model(), progress.problems());
    }
    Checkpoint from = progress.checkpoint();
    Results made = results.from(from, pace, window.width());
    try (InputLines lines = lines(input, from, scan)) {
      boolean isRead = false;
      while (!isStopped && !(isRead && window.isEmpty())) {
        if (cancellingAt().isPresent()) {
          sender.cancel();
        }
        isRead = isRead || fill(lines, maybeSent);
        for (var done = window.poll(); done.isPresent(); done = window.poll()) {
          made.add(done.get());
          publishIfDue(made);
        }
        publishIfDue(made);
        window.awaitChange(window.hasRoom() && !isRead ? Duration.ZERO : LOOK_AGAIN);
      }
    }
    if (!isStopped) {
      publish(progress.at(made.flushed(), made.counts()).in(Phase.FINALIZING, clock.millis()));
    }
    return !isStopped;
  }

  private void publishIfDue(Results made) {
    if (made.isDue(progress.recordBytes())) {
      publish(progress.at(made.checkpoint(), shown(made.counts())));
    }
  }

  /** A run that begins again behind the checkpoint has fewer results at first. */
  private Counts shown(Counts made) {
    return made.results() < progress.counts().results() ? progress.counts() : made;
  }

  /**
   * Returns how many lines behind the checkpoint an earlier run may have sent: those with results
   * that were shown and not stored, those that were not shown, of which there are fewer than its
   * window is wide, and those in its window. Blank lines do not count: they have no results.
   */
  private long maybeSent() {
    if (progress.phase() != Phase.IN_PROGRESS) {
      return 0;
    }
    return progress.counts().results()
        - progress.checkpoint().counts().results()
        + 2L * window.width();
  }

  /**
   * Sends lines while there is room.
   *
   * @param maybeSent so many are sent also if the batch is to end: they may have answers
   * @return whether the input was read to its end
   */
  private boolean fill(InputLines lines, long maybeSent) throws IOException, InterruptedException {
    while (!isStopped && window.hasRoom()) {
      Optional<InputLines.Read> read = lines.next();
      if (read.isEmpty()) {
        return true;
      }
      boolean mayHaveAnswer = lines.count() <= maybeSent;
      window.add(read.get().after(), read.get().bytes(), result(read.get().line(), mayHaveAnswer));
    }
    return false;
  }

  private CompletableFuture<LineResult> result(InputLine line, boolean mayHaveAnswer) {
    return switch (line) {
      case InputLine.Broken broken -> CompletableFuture.completedFuture(sender.broken(broken));
      case InputLine.Request request ->
          mayHaveAnswer || !(sender.isCancelled() || isExpired())
              ? sender.send(request)
              : CompletableFuture.completedFuture(sender.unsent(request));
    };
  }

  private void finish() {
    results.finish(progress.checkpoint());
    publish(progress.filed().in(end(), clock.millis()));
  }

  private Phase end() {
    long allDoneAt = progress.reached(Phase.FINALIZING).orElse(0);
    boolean isCancelled = cancellingAt().orElse(Long.MAX_VALUE) < allDoneAt;
    if (isCancelled || progress.counts().cancelled() > 0) {
      return Phase.CANCELLED;
    }
    return progress.counts().expired() > 0 ? Phase.EXPIRED : Phase.COMPLETED;
  }

  private void fail(LineProblem problem) {
    List<LineProblem> problems = new ArrayList<>(List.of(problem));
    problems.addAll(progress.problems());
    results.finish(progress.checkpoint());
    publish(
        progress
            .scanned(progress.total(), progress.model(), problems)
            .filed()
            .in(Phase.FAILED, clock.millis()));
  }

  private void publish(BatchProgress next) {
    batchLog.append(next);
    progress = next;
  }

  private InputLines lines(StoredFile input, Checkpoint from, InputScan scan) {
    Position place = new Position(from.bytes(), from.lines());
    return new InputLines(lines(input, place), scan, created.endpoint(), memory);
  }

  private Lines lines(StoredFile input, Position from) {
    return new Lines(files.open(input, from.bytes()), from, Lines.MAX_REQUEST_LINE_BYTES);
  }

  private OptionalLong cancellingAt() {
    return batchLog.find(created.id()).map(Batch::cancellingAt).orElse(OptionalLong.empty());
  }

  private boolean isExpired() {
    return clock.millis() >= created.expiresAt();
  }
}
