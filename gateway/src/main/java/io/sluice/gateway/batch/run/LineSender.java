package io.sluice.gateway.batch.run;

import io.sluice.common.dependency.Reasons;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.time.LogInterval;
import io.sluice.gateway.batch.record.BatchLogException;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.gateway.files.StorageException;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.TenantShares;
import io.sluice.producer.ClientException;
import io.sluice.producer.batch.ResultLine;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.RequestFailedException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the lines of one batch to the pool. The id of a request is derived from its batch and its
 * line, and the pool does not run an id twice: a line that an earlier run has sent gets the answer
 * that it has or will have. What is refused because the pool is full is sent again until the batch
 * expires. A line that breaks the gateway's own code gets an error, so that it does not hold up the
 * others; only what would meet any line ends the run. Thread-safe.
 */
final class LineSender {
  private static final long FULL_MILLIS = 5_000;
  private static final Duration FOUND_WITHIN = Duration.ofSeconds(30);
  private static final long UNAVAILABLE_MILLIS = 1_000;
  private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);
  private static final Logger log = LoggerFactory.getLogger(LineSender.class);

  private final CreatedBatch batch;
  private final LineFormat format;
  private final LinePool pool;
  private final LineMemory memory;
  private final Clock clock;
  private final RunningLines running = new RunningLines();
  private final LogInterval unavailableLog = new LogInterval(LOG_INTERVAL, System::nanoTime);
  private final LogInterval brokenLog = new LogInterval(LOG_INTERVAL, System::nanoTime);

  LineSender(CreatedBatch batch, LineFormat format, LinePool pool, LineMemory memory, Clock clock) {
    this.batch = batch;
    this.format = format;
    this.pool = pool;
    this.memory = memory;
    this.clock = clock;
  }

  /**
   * One try of a line.
   *
   * @param count the tries before
   * @param result that of the line
   */
  private record Try(
      InputLine.Request line, String id, int count, CompletableFuture<LineResult> result) {
    String customId() {
      return line.customId();
    }

    byte[] body() {
      return line.body();
    }
  }

  /**
   * Sends a line; the result never comes after {@link #stop}. It fails if the storage or a log
   * does.
   */
  CompletableFuture<LineResult> send(InputLine.Request line) {
    CompletableFuture<LineResult> result = new CompletableFuture<>();
    send(new Try(line, batch.requestId(line.number(), 0), 0, result));
    return result;
  }

  /** Returns the result of a line that is not sent, because the batch was cancelled or expired. */
  LineResult unsent(InputLine.Request line) {
    String id = batch.requestId(line.number(), 0);
    return running.isCancelled()
        ? LineResult.cancelled(id, line.customId())
        : LineResult.expired(id, line.customId());
  }

  /** Returns the result of a line that is not a request. */
  LineResult broken(InputLine.Broken line) {
    String id = batch.requestId(line.number(), 0);
    return LineResult.failed(ResultLine.broken(id, line.number(), line.problem()));
  }

  /** Cancels what runs, and everything that is sent from now on. */
  void cancel() {
    running.cancel();
  }

  /** Returns whether {@link #cancel} was called. */
  boolean isCancelled() {
    return running.isCancelled();
  }

  /** Stops to read answers. The pool continues with the requests. */
  void stop() {
    running.stop();
  }

  private void send(Try attempt) {
    if (running.isStopped()) {
      return;
    }
    try {
      LineFormat.Draft draft = format.draft(batch, attempt.body());
      try (TenantShares.Share _ = memory.take(draft.json())) {
        ask(attempt, draft.request());
      }
    } catch (RefusedLineException e) {
      if (e.isTemporary()) {
        unavailable(attempt, e.json());
      } else {
        attempt
            .result()
            .complete(
                LineResult.failed(
                    ResultLine.refused(attempt.customId(), attempt.id(), e.status(), e.json())));
      }
    } catch (ApiException e) {
      // No memory: it may have an answer, which another run finds.
      attempt.result().completeExceptionally(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      attempt.result().completeExceptionally(e);
    } catch (RuntimeException | StackOverflowError e) {
      internalError(attempt, e);
    }
  }

  private void ask(Try attempt, InferenceRequest.Builder request) {
    boolean isTooLate = isExpired();
    if (isTooLate) {
      // It is cancelled at once, and gets the answer only that it has from an earlier run.
      request.deadline(clock.instant().plus(FOUND_WITHIN));
    }
    InferenceRequest identified = request.requestId(attempt.id()).build();
    try {
      LinePool.Asked asked = pool.ask(identified);
      running.add(asked);
      if (isTooLate) {
        asked.cancel().run();
      }
      var _ =
          asked
              .answer()
              .handle(
                  (answer, failure) -> {
                    running.remove(asked);
                    ended(attempt, answer, failure);
                    return answer;
                  })
              .exceptionally(
                  e -> {
                    attempt.result().completeExceptionally(e);
                    return null;
                  });
    } catch (ClientException | IllegalArgumentException e) {
      // The client is about to close, or an earlier run of the batch here is not over yet.
      unavailable(attempt, Reasons.of(e));
    }
  }

  private void ended(Try attempt, @Nullable Answer answer, @Nullable Throwable error) {
    if (answer != null) {
      // It may have to wait, and this thread reads the answers to all lines.
      Thread.ofVirtual().start(() -> answered(attempt, answer));
      return;
    }
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    if (!(cause instanceof RequestFailedException failed)) {
      internalError(attempt, cause == null ? new IllegalStateException() : cause);
      return;
    }
    ReplyEvent.Failed failure = failed.failure();
    if (failure.kind().isUnreachable()) {
      unavailable(attempt, failure.message());
    } else if (failure.kind().retry() == ErrorKind.Retry.YES) {
      int count = attempt.count() + 1;
      String id = batch.requestId(attempt.line().number(), count);
      again(
          new Try(attempt.line(), id, count, attempt.result()),
          failure.retryAfterMillis().orElse(FULL_MILLIS));
    } else {
      attempt.result().complete(failed(attempt, failure));
    }
  }

  private void answered(Try attempt, Answer answer) {
    byte[] json = answer.json().getBytes(StandardCharsets.UTF_8);
    try (TenantShares.Share _ = memory.take(List.of(attempt.body(), json))) {
      String body = format.result(batch, attempt.body(), answer);
      attempt.result().complete(LineResult.answered(attempt.customId(), answer, body));
    } catch (ApiException | InterruptedException e) {
      attempt.result().completeExceptionally(e);
    } catch (RuntimeException | Error e) {
      internalError(attempt, e);
    }
  }

  private LineResult failed(Try attempt, ReplyEvent.Failed failure) {
    String customId = attempt.customId();
    return switch (failure.kind().cause()) {
      case CALLER ->
          isCancelled() || !isExpired()
              ? LineResult.cancelled(attempt.id(), customId)
              : LineResult.expired(attempt.id(), customId);
      case DEADLINE -> LineResult.expired(attempt.id(), customId);
      case REQUEST, LOAD, FAULT, UNREACHABLE ->
          LineResult.failed(ResultLine.failed(customId, attempt.id(), failure));
    };
  }

  /** A log line for each of 50,000 lines would hide everything else. */
  private void internalError(Try attempt, Throwable e) {
    if (running.isStopped() || meetsAnyLine(e)) {
      attempt.result().completeExceptionally(e);
      return;
    }
    if (brokenLog.isDue()) {
      log.error(
          "event=batch_line_broken batch={} line={} effect=\"the line is an error in the results; of such lines, one a minute is logged\"",
          batch.id(),
          attempt.line().number(),
          e);
    }
    attempt.result().complete(LineResult.internalError(attempt.id(), attempt.customId()));
  }

  /** Returns whether a failure is not of one line: then another run repeats the line. */
  private static boolean meetsAnyLine(Throwable e) {
    return e instanceof StorageException
        || e instanceof BatchLogException
        || e instanceof KafkaException
        || e instanceof CompletionException
        || (e instanceof Error && !(e instanceof StackOverflowError))
        || Thread.currentThread().isInterrupted();
  }

  /** A day of lines that silently wait would look like a slow pool. */
  private void unavailable(Try attempt, String reason) {
    if (!running.isStopped() && unavailableLog.isDue()) {
      log.warn(
          "event=batch_line_not_sent batch={} line={} effect=\"such lines are sent again every second until the batch expires\" reason=\"{}\"",
          batch.id(),
          attempt.line().number(),
          reason.replace('"', '\''));
    }
    again(attempt, UNAVAILABLE_MILLIS);
  }

  private void again(Try attempt, long millis) {
    if (running.isStopped()) {
      return;
    }
    if (isCancelled()) {
      attempt.result().complete(LineResult.cancelled(attempt.id(), attempt.customId()));
    } else if (isExpired()) {
      attempt.result().complete(LineResult.expired(attempt.id(), attempt.customId()));
    } else {
      Executor later = CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
      later.execute(() -> Thread.ofVirtual().start(() -> send(attempt)));
    }
  }

  private boolean isExpired() {
    return clock.millis() >= batch.expiresAt();
  }
}
