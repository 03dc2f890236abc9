package io.sluice.producer.batch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.RequestId;
import io.sluice.producer.FileProblem;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs an OpenAI Batch file through the pool. Files are streamed; only the custom_ids are held in
 * memory. Each input line produces one output line, in the order of completion; a line that is not
 * a request produces an error line. A job that was stopped or killed can be continued: answers are
 * kept, and so are errors that the request itself caused; everything else is run again.
 *
 * <p>A job is run once. {@link #stop} may be called from any thread.
 */
public final class BatchJob implements AutoCloseable {
  private static final List<String> URLS =
      Stream.of(Endpoint.values()).map(Endpoint::path).toList();
  private static final long WAIT_MILLIS = 200;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);

  private final BatchSpec spec;
  private final long totalLines;
  private final Map<String, Boolean> settled;
  private final ResultFile output;
  private final Optional<ResultFile> errors;
  private final Semaphore places;
  private final Tally tally = new Tally();
  private final AtomicReference<@Nullable String> aborted = new AtomicReference<>();
  private long linesRead;
  private volatile boolean isStopped;

  private BatchJob(
      BatchSpec spec,
      long totalLines,
      Map<String, Boolean> settled,
      ResultFile output,
      Optional<ResultFile> errors) {
    this.spec = spec;
    this.totalLines = totalLines;
    this.settled = settled;
    this.output = output;
    this.errors = errors;
    this.places = new Semaphore(spec.maxInFlight());
  }

  /**
   * Opens the files and reads which requests an earlier run has settled.
   *
   * @throws BatchFileException if the input cannot be read, or not twice, or if an output cannot be
   *     written or is not the output of a batch job
   */
  public static BatchJob open(BatchSpec spec) {
    long totalLines = countLines(spec);
    Map<String, Boolean> settled = new HashMap<>();
    ResultFile output = ResultFile.open(spec.output(), line -> remember(settled, line));
    Optional<ResultFile> errors =
        spec.errors().map(path -> ResultFile.open(path, line -> remember(settled, line)));
    return new BatchJob(spec, totalLines, settled, output, errors);
  }

  /**
   * Runs the job to its end; returns early after {@link #stop}.
   *
   * @throws BatchFileException if reading or writing a file fails
   * @throws IllegalStateException if the pool is lost or the input changes during the job; the
   *     message says how to continue
   */
  public BatchReport run(SluiceClient client, BatchProgress progress) throws InterruptedException {
    long startNanos = System.nanoTime();
    boolean isComplete = submitAll(client, progress) && awaitAll();
    if (isComplete && linesRead != totalLines) {
      abort(
          "the number of lines of %s changed from %d to %d"
              .formatted(spec.input(), totalLines, linesRead));
    }
    if (!isComplete) {
      client.cancelAll();
      boolean _ =
          places.tryAcquire(spec.maxInFlight(), STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }
    String reason = aborted.get();
    if (reason != null) {
      throw new IllegalStateException(reason + "; run the same command again to continue");
    }
    long elapsedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    return tally.report(isComplete, elapsedMillis);
  }

  /**
   * Ends the job early. Requests in the pool are cancelled, and are run again when the job is
   * continued.
   */
  public void stop() {
    isStopped = true;
  }

  @Override
  public void close() {
    try {
      output.close();
      if (errors.isPresent()) {
        errors.get().close();
      }
    } catch (IOException e) {
      throw new BatchFileException("cannot write " + output.path() + ": " + FileProblem.of(e), e);
    }
  }

  /** Returns whether the input was read to its end. */
  private boolean submitAll(SluiceClient client, BatchProgress progress)
      throws InterruptedException {
    Set<String> seen = new HashSet<>();
    try (Lines lines = new Lines(spec.input(), Lines.MAX_REQUEST_LINE_BYTES)) {
      for (Optional<Lines.Line> line = lines.next(); line.isPresent(); line = lines.next()) {
        if (line.get().isBlank()) {
          continue;
        }
        linesRead++;
        switch (unlessRepeated(BatchLine.parse(line.get(), URLS), seen)) {
          case BatchLine.Broken broken -> {
            tally.failed();
            write(ResultLine.broken(RequestId.next(), line.get().number(), broken), progress);
          }
          case BatchLine.Item item -> {
            Boolean isSuccess = settled.get(item.customId());
            if (isSuccess != null) {
              tally.continued(isSuccess);
              advance(progress);
            } else if (awaitRoom()) {
              submit(client, item, progress);
            }
          }
        }
        if (isStopped || aborted.get() != null) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw new BatchFileException("cannot read " + spec.input() + ": " + FileProblem.of(e), e);
    }
  }

  private static BatchLine unlessRepeated(BatchLine line, Set<String> seen) {
    return line instanceof BatchLine.Item item && !seen.add(item.customId())
        ? BatchLine.repeated(item)
        : line;
  }

  private void submit(SluiceClient client, BatchLine.Item item, BatchProgress progress) {
    Endpoint endpoint = Endpoint.parse(item.url()).orElseThrow();
    ObjectNode body = item.body();
    spec.model().ifPresent(model -> body.put("model", model));
    InferenceRequest.Builder builder =
        InferenceRequest.of(endpoint, body).priority(spec.priority());
    spec.timeout().ifPresent(builder::timeout);
    InferenceRequest request = builder.build();
    ReplyStream stream;
    try {
      stream = client.submit(request);
    } catch (RuntimeException e) {
      places.release();
      throw e;
    }
    var _ =
        stream
            .answer()
            .handle(
                (answer, error) -> {
                  try {
                    ended(item.customId(), stream.requestId(), request, answer, error, progress);
                  } finally {
                    places.release();
                  }
                  return null;
                });
  }

  private void ended(
      String customId,
      String requestId,
      InferenceRequest request,
      @Nullable Answer answer,
      @Nullable Throwable error,
      BatchProgress progress) {
    if (answer != null) {
      tally.answered(answer, request.isStreamed());
      write(ResultLine.answered(customId, requestId, answer.json()), progress);
      return;
    }
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (!(cause instanceof RequestFailedException failed)) {
      abort("an answer failed for an unknown reason: " + cause);
      return;
    }
    ReplyEvent.Failed failure = failed.failure();
    if (failure.kind().isUnreachable()) {
      abort(failure.message());
    } else if (!(isStopped && failure.kind() == ErrorKind.CANCELLED)) {
      tally.failed();
      write(ResultLine.failed(customId, requestId, failure), progress);
    }
  }

  private void write(ResultLine line, BatchProgress progress) {
    ResultFile target = line.isSuccess() ? output : errors.orElse(output);
    try {
      target.append(line);
    } catch (IOException e) {
      abort("cannot write " + target.path() + ": " + FileProblem.of(e));
    }
    advance(progress);
  }

  private void advance(BatchProgress progress) {
    synchronized (progress) {
      progress.advanced(tally.done(), totalLines, tally.completionTokens());
    }
  }

  private void abort(String reason) {
    aborted.compareAndSet(null, reason);
  }

  /** Waits until another request may be in flight; false if the job is stopped first. */
  private boolean awaitRoom() throws InterruptedException {
    while (!isStopped && aborted.get() == null) {
      if (places.tryAcquire(WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
        return true;
      }
    }
    return false;
  }

  /** Waits for the requests in flight, each of which has its own deadline. */
  private boolean awaitAll() throws InterruptedException {
    while (!isStopped && aborted.get() == null) {
      if (places.tryAcquire(spec.maxInFlight(), WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
        return true;
      }
    }
    return false;
  }

  private static void remember(Map<String, Boolean> settled, ResultLine line) {
    line.customId().ifPresent(id -> settled.merge(id, line.isSuccess(), Boolean::logicalOr));
  }

  private static long countLines(BatchSpec spec) {
    try {
      if (Files.isDirectory(spec.input())) {
        throw new BatchFileException("cannot read " + spec.input() + ": it is a directory");
      }
      if (Files.exists(spec.input()) && !Files.isRegularFile(spec.input())) {
        throw new BatchFileException(
            "cannot read "
                + spec.input()
                + " twice: it is not a regular file; write the lines to a file first");
      }
      if (Files.exists(spec.output()) && Files.isSameFile(spec.input(), spec.output())) {
        throw new BatchFileException("the output must not be the same file as " + spec.input());
      }
      long count = 0;
      try (Lines lines = new Lines(spec.input(), Lines.MAX_REQUEST_LINE_BYTES)) {
        for (Optional<Lines.Line> line = lines.next(); line.isPresent(); line = lines.next()) {
          count += line.get().isBlank() ? 0 : 1;
        }
      }
      return count;
    } catch (IOException e) {
      throw new BatchFileException("cannot read " + spec.input() + ": " + FileProblem.of(e), e);
    }
  }
}
