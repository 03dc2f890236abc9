package io.sluice.worker.reply;

import io.sluice.common.reply.ReplyHeaders;
import io.sluice.worker.clock.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A request to fold one request's records up to an offset. The waiting thread and the reading
 * thread meet in its future. Until that is done, the reply belongs to the reader.
 */
final class PartitionFold {
  /** How long it may wait for folds before it. */
  private static final Duration TURN_BOUND = Duration.ofSeconds(12);

  private final ReplyScan.Query query;
  private final PartialReply reply;
  private final OptionalLong wantedEnd;
  private final Duration atMost;
  private final Ticker ticker;
  private final CompletableFuture<Void> turn = new CompletableFuture<>();
  private final CompletableFuture<Long> done = new CompletableFuture<>();
  private volatile long position;
  private long startNanos;
  private long end;

  /**
   * A fold that waits for its reader.
   *
   * @param position the offset to continue from; negative if it has to be looked up
   * @param wantedEnd the offset after the last record; empty for the end of the log when the
   *     reading begins
   * @param atMost time limit for the reading itself
   */
  PartitionFold(
      ReplyScan.Query query,
      PartialReply reply,
      long position,
      OptionalLong wantedEnd,
      Duration atMost,
      Ticker ticker) {
    this.query = query;
    this.reply = reply;
    this.position = position;
    this.wantedEnd = wantedEnd;
    this.atMost = atMost;
    this.ticker = ticker;
  }

  /** Waits for the reader; returns the offset up to which the records are folded. */
  long await() throws ReplyScan.ScanException, InterruptedException {
    try {
      turn.get(TURN_BOUND.toNanos(), TimeUnit.NANOSECONDS);
      return done.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw tooLate();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof ReplyScan.ScanException known
          ? known
          : new ReplyScan.ScanException(String.valueOf(e.getMessage()), e);
    } finally {
      done.cancel(false);
    }
  }

  String requestId() {
    return query.requestId();
  }

  boolean wantsLogEnd() {
    return wantedEnd.isEmpty();
  }

  /** Returns the time from which to read; empty if the offset is known. */
  OptionalLong fromTimeMillis() {
    return position < 0 ? OptionalLong.of(query.fromTimeMillis()) : OptionalLong.empty();
  }

  /** Returns whether nothing has been folded into its reply yet. */
  boolean isFirst() {
    return !reply.hasBegun();
  }

  /**
   * Sets the offsets that this fold does not know itself. A known offset after the end of the log
   * belongs to a deleted log: all of the new log is read. If the log still has records older than
   * the request, it has all records of the request.
   *
   * @param start the offset for the time that this fold asks for
   * @param logStart the first offset of the log; only used for the first fold of a reply
   */
  void begin(long start, long logStart, long logEnd) {
    boolean isOfAnotherLog = wantsLogEnd() && position > logEnd;
    boolean isByTime = position < 0;
    position = isOfAnotherLog ? 0 : isByTime ? start : position;
    end = Math.max(position, wantedEnd.orElse(logEnd));
    boolean isWhole = logStart == 0 || (isByTime ? position > logStart : position >= logStart);
    reply.begin(isWhole && !isOfAnotherLog);
  }

  /** The reading begins, and with it the time limit. */
  void start() {
    startNanos = ticker.nanos();
    turn.complete(null);
  }

  /** Returns the offset to read from; negative until it is known. */
  long position() {
    return position;
  }

  /** Returns whether the fold is complete, has exceeded its time limit, or was abandoned. */
  boolean isOver(long readTo) {
    if (!done.isDone() && readTo >= end) {
      done.complete(end);
    } else if (!done.isDone() && ticker.since(startNanos).compareTo(atMost) > 0) {
      done.completeExceptionally(tooLate());
    }
    return done.isDone();
  }

  /** Folds a record of this request, unless it was folded before. */
  void take(ConsumerRecord<String, byte[]> record) {
    if (record.offset() >= position && record.offset() < end && !done.isDone()) {
      Optional<ReplyHeaders> headers = ReplyHeaders.parse(record.headers());
      headers.ifPresent(
          parsed -> reply.next(parsed, record.value() == null ? new byte[0] : record.value()));
    }
  }

  void fail(Exception cause) {
    done.completeExceptionally(
        new ReplyScan.ScanException(
            "cannot read %s: %s".formatted(partitionName(), cause.getMessage()), cause));
    turn.complete(null);
  }

  private ReplyScan.ScanException tooLate() {
    return new ReplyScan.ScanException(
        "%s could not be read up to offset %s within %d ms, after waiting at most %d ms for other reads"
            .formatted(
                partitionName(),
                wantedEnd.isPresent() ? String.valueOf(wantedEnd.getAsLong()) : "of its end",
                atMost.toMillis(),
                TURN_BOUND.toMillis()));
  }

  private String partitionName() {
    return query.address().topic() + "-" + query.address().partition();
  }
}
