package io.sluice.worker.generation;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyKind;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.reply.PartialReply;
import io.sluice.worker.reply.ReplyScan;
import io.sluice.worker.resume.Continuation;
import io.sluice.worker.resume.ParsedRequest;
import io.sluice.worker.resume.Resumption;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over a request that somebody else may have begun to answer: publishes a claim, then folds
 * the log up to that claim. What the fold holds then is what everybody holds, and nothing that an
 * earlier worker writes after it counts.
 *
 * <p>The log is looked at once before, too, for the claim must say whether it continues what is
 * there. One that voids what is there is put off until the engine has taken the request: one that
 * refuses it would have voided it for nothing.
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
  private Optional<PutOff> putOff = Optional.empty();

  /** A restart that is still to be claimed. */
  private record PutOff(ReplyScan.Session scan, PartialReply reply) {}

  /** How to go on after what the log held when it had changed so often; empty if from the start. */
  private record Decision(int changes, Optional<Continuation> continuation) {}

  Claim(
      Services services,
      AssignedRequest request,
      ParsedRequest body,
      ReplyWriter writer,
      LeaseSupervisor lease) {
    this.services = services;
    this.request = request;
    this.resumption =
        new Resumption(services.engine(), services.engineFacts().get(), request.assignment(), body);
    this.writer = writer;
    this.lease = lease;
  }

  /** Whether an assignment needs a claim. */
  static boolean isNeeded(Assignment assignment) {
    return assignment.lease().attempt() > 1 || !assignment.fresh();
  }

  /**
   * Claims the request, unless its answer is to be restarted: then {@link #confirm} does.
   *
   * @return from where to go on
   * @throws AttemptEndedException if the request has ended, belongs to somebody else, or the log
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
      boolean isOver = isSettled(reply);
      ClaimMode mode = isOver || keeps(reply) ? ClaimMode.RESUME : ClaimMode.RESTART;
      lease.check();
      if (isOver) {
        return settle(reply, mode);
      }
      if (mode == ClaimMode.RESTART && reply.fold().tokens() > 0) {
        putOff = Optional.of(new PutOff(scan, reply));
        return new Continuation.FromStart(reply);
      }
      return claimed(scan, reply, mode);
    } catch (ReplyScan.ScanException e) {
      throw unreadable(e);
    } catch (EngineException e) {
      throw AttemptEndedException.with(lease.failed(e.failure()));
    }
  }

  /**
   * The engine has taken the request.
   *
   * @throws AttemptEndedException as {@link #take} does
   */
  void confirm() throws AttemptEndedException, InterruptedException {
    if (putOff.isEmpty()) {
      return;
    }
    PutOff restart = putOff.get();
    putOff = Optional.empty();
    try {
      claimed(restart.scan(), restart.reply(), ClaimMode.RESTART);
    } catch (ReplyScan.ScanException e) {
      throw unreadable(e);
    } catch (EngineException e) {
      throw new IllegalStateException("a restart asks no engine", e);
    }
  }

  private Continuation claimed(ReplyScan.Session scan, PartialReply reply, ClaimMode mode)
      throws AttemptEndedException, ReplyScan.ScanException, EngineException, InterruptedException {
    long offset = lease.awaitOrStop(writer.claim(mode));
    folded(scan, () -> scan.foldThrough(offset, SCAN_BOUND));
    return settle(reply, mode);
  }

  /**
   * Who holds nothing may have begun to read behind what readers hold, and to go on after nothing
   * would leave them a gap for ever. Where nothing is there a restart takes nothing back.
   */
  private boolean keeps(PartialReply reply)
      throws AttemptEndedException, ReplyScan.ScanException, EngineException, InterruptedException {
    return reply.fold().tokens() > 0 && howToGoOn(reply).isPresent();
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

  /** Decided once as long as nothing is added: asked again, an engine may answer otherwise. */
  private Optional<Continuation> howToGoOn(PartialReply reply)
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
    // More may have got into the log since it was first looked at.
    Continuation next =
        mode == ClaimMode.RESTART
            ? new Continuation.FromStart(reply)
            : howToGoOn(reply)
                .orElseThrow(
                    () ->
                        failed(
                            FailureCode.NOT_RESUMABLE,
                            "another attempt wrote what cannot be continued"));
    tell(reply.discardedTokens() > 0 && mode == ClaimMode.RESTART ? "restart" : next.way(), reply);
    return next;
  }

  private void tell(String way, PartialReply reply) {
    services.meter().continued(way);
    LeaseRef own = request.assignment().lease();
    log.info(
        "event=answer_goes_on request={} attempt={} way={} tokens={} void={}",
        own.requestId(),
        own.attempt(),
        way,
        reply.fold().tokens(),
        reply.discardedTokens());
  }

  private AttemptEndedException unreadable(ReplyScan.ScanException e) {
    return failed(FailureCode.REPLY_UNREADABLE, String.valueOf(e.getMessage()));
  }

  /** Whether a claim would change nothing: only an earlier attempt makes way for it. */
  private boolean isSettled(PartialReply reply) {
    ReplyFold fold = reply.fold();
    boolean isEarlier = fold.attempt() < request.assignment().lease().attempt();
    return reply.terminal().isPresent() || !(isEarlier || isOwn(fold));
  }

  /** Whether the log belongs to this lease. */
  private boolean isOwn(ReplyFold fold) {
    LeaseRef own = request.assignment().lease();
    return fold.attempt() == own.attempt() && fold.lease().equals(own.lease());
  }

  /** The request had ended before: its last outcome may have been lost, so it is told again. */
  private static Outcome.Event ended(PartialReply.Terminal terminal) {
    JsonNode value = terminal.value();
    if (terminal.kind() == ReplyKind.FINAL) {
      Usage usage = Usage.parse(value.path("usage")).orElse(Usage.NONE);
      return new Outcome.Completed(
          value.path("choices").path(0).path("finish_reason").asText("stop"),
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
