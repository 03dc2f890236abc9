package io.sluice.worker.generation;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyHeadersBuilder;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.TokenIdText;
import io.sluice.common.reply.TokenNotes;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.reply.ReplyLog;
import io.sluice.worker.reply.ReplyRecord;
import io.sluice.worker.reply.ReplyTooLargeException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the reply records of one lease, and tracks which of them are in the log. One thread
 * writes; acknowledgements come on the log's threads.
 */
final class ReplyWriter {
  private static final byte[] NOTHING = Json.bytes(Json.mapper().createObjectNode());

  private static final Logger log = LoggerFactory.getLogger(ReplyWriter.class);

  private final ReplyLog replies;
  private final Ticker ticker;
  private final AssignedRequest request;
  private String model;
  private int published;
  private CompletableFuture<Long> whole = CompletableFuture.completedFuture(-1L);
  private @Nullable CompletableFuture<Long> first;
  private volatile @Nullable CompletableFuture<Long> firstTokens;
  private volatile int acknowledged;
  private volatile boolean hasFailed;
  private volatile Optional<ReplyTooLargeException> tooLarge = Optional.empty();

  ReplyWriter(ReplyLog replies, Ticker ticker, AssignedRequest request, String model) {
    this.replies = replies;
    this.ticker = ticker;
    this.request = request;
    this.model = model;
  }

  /** Sets the name of the model that answers. */
  void servedBy(String servedModel) {
    model = servedModel;
  }

  /** Continues after tokens that are in the log already. */
  void resumeAt(int tokens) {
    published = tokens;
    acknowledged = tokens;
  }

  /** Publishes a claim; completes with its offset. */
  CompletableFuture<Long> claim(ClaimMode mode) {
    return append(ReplyKind.CLAIM, mode, 0, Optional.empty(), TokenNotes.NONE, NOTHING);
  }

  /**
   * Publishes tokens.
   *
   * @param tokenIds published only if there is one for each token
   */
  void tokens(int count, List<Integer> tokenIds, TokenNotes notes, byte[] chunk) {
    Optional<String> ids =
        tokenIds.size() == count ? TokenIdText.write(tokenIds) : Optional.empty();
    var written = append(ReplyKind.TOKENS, ClaimMode.RESUME, count, ids, notes, chunk);
    published += count;
    int upTo = published;
    // Tokens after a record that is missing in the log are not part of the answer.
    var _ =
        whole.thenAccept(
            offset -> {
              acknowledged = upTo;
            });
    if (firstTokens == null) {
      firstTokens = written;
    }
  }

  /**
   * Publishes the final record. Completes when the whole answer is in the log. Fails if a record is
   * missing: readers then see a gap and no end, until another attempt fills it.
   */
  CompletableFuture<Long> finish(byte[] value) {
    var _ = append(ReplyKind.FINAL, ClaimMode.RESUME, 0, Optional.empty(), TokenNotes.NONE, value);
    return whole;
  }

  /** Publishes an error, which ends the request regardless of the records before it. */
  CompletableFuture<Long> error(byte[] value) {
    return append(ReplyKind.ERROR, ClaimMode.RESUME, 0, Optional.empty(), TokenNotes.NONE, value);
  }

  /** Completes when all records so far are in the log; fails if one of them is missing. */
  CompletableFuture<Long> whole() {
    return whole;
  }

  /** Returns whether a record could not be written; later records do not count. */
  boolean hasFailed() {
    return hasFailed;
  }

  /** Returns the failure of a record that is larger than the topic allows, if there is one. */
  Optional<ReplyTooLargeException> tooLarge() {
    return tooLarge;
  }

  /** Output tokens in the log, over all attempts. */
  int acknowledged() {
    return acknowledged;
  }

  /** Returns whether any tokens of this lease were published. */
  boolean hasTokens() {
    return firstTokens != null;
  }

  /**
   * Returns whether the first tokens of this lease are in the log. May be called from any thread.
   */
  boolean isFirstAcknowledged() {
    CompletableFuture<Long> tokens = firstTokens;
    return tokens != null && tokens.isDone() && !tokens.isCompletedExceptionally();
  }

  /** Returns the offset of this lease's first record; empty until it is in the log. */
  OptionalLong firstOffset() {
    CompletableFuture<Long> record = first;
    return record != null && record.isDone() && !record.isCompletedExceptionally()
        ? OptionalLong.of(record.join())
        : OptionalLong.empty();
  }

  private CompletableFuture<Long> append(
      ReplyKind kind,
      ClaimMode mode,
      int count,
      Optional<String> tokenIds,
      TokenNotes notes,
      byte[] value) {
    Assignment assignment = request.assignment();
    boolean isTerminal = kind == ReplyKind.FINAL || kind == ReplyKind.ERROR;
    boolean isBoundary = kind != ReplyKind.TOKENS || published == 0;
    var headers =
        ReplyHeadersBuilder.builder()
            .requestId(assignment.lease().requestId())
            .kind(kind)
            .attempt(assignment.lease().attempt())
            .lease(assignment.lease().lease())
            .mode(mode)
            .index(published)
            .count(count)
            .fallback(assignment.isFallback())
            .latencyMillis(OptionalLong.of(latencyMillis()))
            .notes(notes)
            .tokenIds(tokenIds)
            .tenant(isBoundary ? Optional.of(assignment.tenant()) : Optional.empty())
            .worker(Optional.of(assignment.lease().worker()))
            .model(Optional.of(model).filter(name -> !name.isEmpty()))
            .build();
    // The failure is recorded before callers that wait are notified, and while records before it
    // may still be in flight.
    CompletableFuture<Long> written =
        replies
            .append(
                new ReplyRecord(
                    assignment.replyTo(),
                    headers,
                    isTerminal ? request.correlationId() : Optional.empty(),
                    value))
            .whenComplete((offset, failure) -> note(failure));
    first = first == null ? written : first;
    whole = whole.thenCombine(written, (earlier, own) -> own);
    return written;
  }

  private void note(@Nullable Throwable failure) {
    if (failure instanceof ReplyTooLargeException permanent) {
      tooLarge = Optional.of(permanent);
    }
    if (failure != null && !hasFailed) {
      hasFailed = true;
      LeaseRef lease = request.assignment().lease();
      log.warn(
          "event=reply_not_written request={} lease={} topic={} partition={} effect=\"the attempt ends\" reason=\"{}\"",
          lease.requestId(),
          lease.lease(),
          request.assignment().replyTo().topic(),
          request.assignment().replyTo().partition(),
          failure.toString());
    }
  }

  private long latencyMillis() {
    return request.age(ticker).toMillis();
  }
}
