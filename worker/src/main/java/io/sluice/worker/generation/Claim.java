package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyKind;
import io.sluice.worker.answer.Answer;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.reply.PartialReply;
import io.sluice.worker.reply.ReplyScan;
import io.sluice.worker.resume.Continuation;
import io.sluice.worker.resume.Resumption;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over a request that another attempt may have begun to answer: publishes a claim, then folds
 * the log up to that claim. All readers see the same state at the claim, and nothing that an
 * earlier worker writes after it counts.
 *
 * <p>The log is also read once before the claim, because the claim must say whether it continues
 * what is there. If there are tokens, the claim is deferred until the engine has accepted the
 * request, because a lease has one claim only: an engine that refuses to continue an answer may
 * still restart it, and one that refuses to restart it would void the tokens for nothing.
 */
final class Claim {
  private static final Duration SCAN_BOUND = Duration.ofSeconds(4);
  private static final Logger log = LoggerFactory.getLogger(Claim.class);

  private final Services services;
  private final AssignedRequest request;
  private final Resumption resumption;
  private final ReplyWriter writer;
  private final LeaseSupervisor lease;
  private Optional<Decision> decision = Optional.empty();
  private Optional<Deferred> deferred = Optional.empty();

  /** A claim that is not made yet. */
  private record Deferred(ReplyScan.Session scan, PartialReply reply, ClaimMode mode) {
    Deferred asRestart() {
      return new Deferred(scan, reply, ClaimMode.RESTART);
    }
  }

  /** How to continue after the log's content at a given number of changes; empty for a restart. */
  private record Decision(int changes, Optional<Continuation> continuation) {}

  Claim(Attempt attempt, OpenAiRequest body) {
    this.services = attempt.services();
    this.request = attempt.request();
    this.resumption =
        new Resumption(services.engine(), services.engineFacts().get(), request.assignment(), body);
    this.writer = attempt.writer();
    this.lease = attempt.lease();
  }

  /**
   * Returns whether an assignment needs a claim. The first attempt of a request that no worker can
   * have answered before needs none.
   */
  static boolean isNeeded(Assignment assignment) {
    return assignment.lease().attempt() > 1 || !assignment.fresh();
  }

  /**
   * Claims the request, unless there are tokens and the engine has to make more: then {@link
   * #confirm} claims it.
   *
   * @return from where to continue
   * @throws AttemptEndedException if the request has ended, belongs to another lease, or the log
   *     cannot be read
   */
  Continuation take() throws AttemptEndedException, InterruptedException {
    Assignment assignment = request.assignment();
    var query =
        new ReplyScan.Query(
            assignment.replyTo(),
            assignment.lease().requestId(),
            assignment.foldFromOffset(),
            assignment.foldFromTimeMillis());
    ReplyScan.Session scan = services.scan().open(query);
    try {
      PartialReply reply = folded(scan, () -> scan.foldToEnd(SCAN_BOUND));
      if (assignment.suspect() && reply.fold().tokens() > 0) {
        lease.found(reply.fold().tokens());
      }
      if (isSettled(reply)) {
        return settle(reply, ClaimMode.RESUME);
      }
      Optional<Continuation> kept = kept(reply);
      ClaimMode mode = kept.isPresent() ? ClaimMode.RESUME : ClaimMode.RESTART;
      lease.check();
      Continuation next = kept.orElseGet(() -> new Continuation.FromStart(reply));
      if (reply.fold().tokens() == 0 || next instanceof Continuation.Finished) {
        return claimed(scan, reply, mode);
      }
      writer.resumeAt(next.tokens());
      deferred = Optional.of(new Deferred(scan, reply, mode));
      return next;
    } catch (ReplyScan.ScanException e) {
      throw unreadable(e);
    } catch (EngineException e) {
      throw AttemptEndedException.with(lease.failed(e.failure()));
    }
  }

  /**
   * The engine has accepted the request: makes a deferred claim.
   *
   * @return from where to continue instead, if more tokens got into the log before the claim of a
   *     resume
   * @throws AttemptEndedException as {@link #take} does
   */
  Optional<Continuation> confirm() throws AttemptEndedException, InterruptedException {
    if (deferred.isEmpty()) {
      return Optional.empty();
    }
    Deferred due = deferred.get();
    deferred = Optional.empty();
    int changes = due.reply().changes();
    try {
      Continuation next = claimed(due.scan(), due.reply(), due.mode());
      boolean isOutdated = due.mode() == ClaimMode.RESUME && due.reply().changes() != changes;
      return isOutdated ? Optional.of(next) : Optional.empty();
    } catch (ReplyScan.ScanException e) {
      throw unreadable(e);
    } catch (EngineException e) {
      throw AttemptEndedException.with(lease.failed(e.failure()));
    }
  }

  /**
   * The engine has refused to continue the answer.
   *
   * @return the answer's start, if it is not claimed yet; then {@link #confirm} claims a restart
   */
  Optional<Continuation> restart(String reason) {
    deferred = deferred.map(Deferred::asRestart);
    deferred.ifPresent(
        it ->
            log.warn(
                "event=continuation_refused request={} attempt={} tokens={} effect=\"the answer is restarted\" reason=\"{}\"",
                request.assignment().lease().requestId(),
                request.assignment().lease().attempt(),
                it.reply().fold().tokens(),
                reason));
    return deferred.map(it -> new Continuation.FromStart(it.reply()));
  }

  private Continuation claimed(ReplyScan.Session scan, PartialReply reply, ClaimMode mode)
      throws AttemptEndedException, ReplyScan.ScanException, EngineException, InterruptedException {
    long offset = lease.awaitOrStop(writer.claim(mode));
    request.trace().claimed(mode);
    folded(scan, () -> scan.foldThrough(offset, SCAN_BOUND));
    return settle(reply, mode);
  }

  /**
   * Returns how to keep what is in the log; empty if the answer has to be restarted.
   *
   * <p>If the fold holds no tokens, it may have begun after the tokens that readers hold, and to
   * resume after nothing would leave them a gap. A restart is safe, because it takes nothing back.
   */
  private Optional<Continuation> kept(PartialReply reply)
      throws AttemptEndedException, ReplyScan.ScanException, EngineException, InterruptedException {
    return reply.fold().tokens() > 0 ? continuation(reply) : Optional.empty();
  }

  private interface Fold {
    void run() throws ReplyScan.ScanException, InterruptedException;
  }

  private PartialReply folded(ReplyScan.Session scan, Fold fold)
      throws AttemptEndedException, ReplyScan.ScanException, EngineException, InterruptedException {
    PartialReply reply =
        lease.during(
            () -> {
              fold.run();
              return scan.reply();
            });
    lease.check();
    return reply;
  }

  /**
   * Decides once per state of the log, because the engine may answer differently when asked again.
   */
  private Optional<Continuation> continuation(PartialReply reply)
      throws AttemptEndedException, ReplyScan.ScanException, EngineException, InterruptedException {
    Optional<Decision> known = decision.filter(it -> it.changes() == reply.changes());
    Decision valid =
        known.isPresent()
            ? known.get()
            : new Decision(reply.changes(), lease.during(() -> resumption.of(reply)));
    decision = Optional.of(valid);
    return valid.continuation();
  }

  private Continuation settle(PartialReply reply, ClaimMode mode)
      throws AttemptEndedException, ReplyScan.ScanException, EngineException, InterruptedException {
    if (reply.terminal().isPresent()) {
      throw AttemptEndedException.with(ended(reply.terminal().get()));
    }
    if (!isOwn(reply.fold())) {
      throw AttemptEndedException.with(new Outcome.Superseded());
    }
    lease.claimed();
    writer.resumeAt(reply.fold().tokens());
    // Records may have arrived in the log between the first reading and the claim.
    Continuation next =
        mode == ClaimMode.RESTART
            ? new Continuation.FromStart(reply)
            : continuation(reply)
                .orElseThrow(
                    () ->
                        failed(
                            FailureCode.NOT_RESUMABLE,
                            "another attempt wrote records that cannot be continued"));
    report(
        reply.discardedTokens() > 0 && mode == ClaimMode.RESTART ? "restart" : next.way(), reply);
    return next;
  }

  private void report(String way, PartialReply reply) {
    services.meter().continued(way);
    request.trace().continued(way, reply.fold().tokens());
    LeaseRef own = request.assignment().lease();
    log.info(
        "event=answer_continued request={} attempt={} way={} tokens={} void={}",
        own.requestId(),
        own.attempt(),
        way,
        reply.fold().tokens(),
        reply.discardedTokens());
  }

  private AttemptEndedException unreadable(ReplyScan.ScanException e) {
    return failed(FailureCode.REPLY_UNREADABLE, String.valueOf(e.getMessage()));
  }

  /** Returns whether a claim would have no effect: only an earlier attempt gives way to it. */
  private boolean isSettled(PartialReply reply) {
    ReplyFold fold = reply.fold();
    boolean isEarlier = fold.attempt() < request.assignment().lease().attempt();
    return reply.terminal().isPresent() || !(isEarlier || isOwn(fold));
  }

  /** Returns whether this lease owns the log. */
  private boolean isOwn(ReplyFold fold) {
    LeaseRef own = request.assignment().lease();
    return fold.attempt() == own.attempt() && fold.lease().equals(own.lease());
  }

  /**
   * The request has ended already. Its last outcome may have been lost, so it is reported again.
   */
  private static Outcome.Event ended(PartialReply.Terminal terminal) {
    JsonNode value = terminal.value();
    if (terminal.kind() == ReplyKind.FINAL) {
      Usage usage = Usage.in(value).orElse(Usage.NONE);
      return new Outcome.Completed(
          Choice.firstOfWhole(value).finishReason().orElse(Answer.USUAL_END),
          usage.promptTokens(),
          usage.completionTokens(),
          0);
    }
    JsonNode error = value.path("error");
    return new Outcome.Rejected(
        ErrorKind.parse(error.path("code").asText()).orElse(ErrorKind.INVALID_REQUEST),
        0,
        error.path("message").asText("the request had ended with an error"),
        true);
  }

  private AttemptEndedException failed(FailureCode code, String message) {
    return AttemptEndedException.with(new Outcome.Failed(code, message, writer.acknowledged()));
  }
}
