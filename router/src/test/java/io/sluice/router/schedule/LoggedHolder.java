package io.sluice.router.schedule;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyKind;
import io.sluice.router.TestWorker;
import java.util.function.Consumer;

/**
 * What a worker does under one lease, in steps between which anything may happen: it claims unless
 * the attempt is fresh, writes tokens, and ends; it does not know when somebody else has taken
 * over.
 */
final class LoggedHolder {
  private enum Phase {
    NEW,
    TO_LOOK,
    TO_CLAIM,
    GENERATING,
    OVER
  }

  private final Assignment assignment;
  private final LoggedReplies log;
  private final Consumer<Outcome> report;
  private final long deadlineMillis;
  private Phase phase = Phase.NEW;
  private int next;
  private boolean started;

  LoggedHolder(Assignment assignment, LoggedReplies log, Consumer<Outcome> report, long nowMillis) {
    this.assignment = assignment;
    this.log = log;
    this.report = report;
    this.deadlineMillis = nowMillis + assignment.remainingMillis();
  }

  LeaseRef lease() {
    return assignment.lease();
  }

  boolean hasBegun() {
    return phase != Phase.NEW;
  }

  boolean isOver() {
    return phase == Phase.OVER;
  }

  /** It was told to, or it died. */
  void stop() {
    phase = Phase.OVER;
  }

  /** Does the next thing; of several that it may do, the one of this number. */
  void step(int choice, long nowMillis) {
    boolean claims = lease().attempt() > 1 || !assignment.fresh();
    if (deadlineMillis <= nowMillis && phase != Phase.OVER) {
      late(phase == Phase.GENERATING || !claims);
      return;
    }
    switch (phase) {
      case NEW -> {
        tell(new Outcome.Accepted());
        phase = claims ? Phase.TO_LOOK : Phase.GENERATING;
      }
      case TO_LOOK -> {
        ReplyFold fold = log.fold(lease().requestId());
        boolean isOverruled =
            fold.attempt() > lease().attempt()
                || fold.attempt() == lease().attempt() && !fold.lease().equals(lease().lease());
        phase = Phase.TO_CLAIM;
        if (fold.isOver() || isOverruled) {
          settle(fold);
        }
      }
      case TO_CLAIM -> {
        ClaimMode mode = choice % 3 == 0 ? ClaimMode.RESTART : ClaimMode.RESUME;
        log.add(lease(), ReplyKind.CLAIM, mode, 0, 0);
        settle(log.fold(lease().requestId()));
      }
      case GENERATING -> generate(choice);
      case OVER -> {}
    }
  }

  private void late(boolean isCounted) {
    if (isCounted) {
      log.add(lease(), ReplyKind.ERROR, ClaimMode.RESUME, next, 0);
      over(new Outcome.Expired());
    } else {
      over(new Outcome.Returned(ReturnReason.STALE, next));
    }
  }

  private void settle(ReplyFold fold) {
    if (fold.isOver()) {
      boolean isAnswered = log.endOf(lease().requestId()) == ReplyKind.FINAL;
      over(isAnswered ? VirtualTask.completed() : TestWorker.rejection());
    } else if (!fold.lease().equals(lease().lease())) {
      over(new Outcome.Superseded());
    } else {
      next = fold.tokens();
      phase = Phase.GENERATING;
    }
  }

  private void generate(int choice) {
    switch (choice % 10) {
      case 0 -> finish();
      case 1 -> over(TestWorker.failure(next));
      case 2 -> over(new Outcome.Returned(ReturnReason.EVICTED, next));
      case 3 -> {
        log.add(lease(), ReplyKind.ERROR, ClaimMode.RESUME, next, 0);
        over(TestWorker.rejection());
      }
      case 4 -> tell(new Outcome.Progress(next));
      default -> {
        int count = 1 + choice % 3;
        int offset = log.add(lease(), ReplyKind.TOKENS, ClaimMode.RESUME, next, count);
        next += count;
        tell(started ? new Outcome.Progress(next) : VirtualTask.started(offset));
        started = true;
      }
    }
  }

  private void finish() {
    log.add(lease(), ReplyKind.FINAL, ClaimMode.RESUME, next, 0);
    over(VirtualTask.completed());
  }

  private void over(Outcome.Event event) {
    tell(event);
    phase = Phase.OVER;
  }

  private void tell(Outcome.Event event) {
    report.accept(new Outcome(lease(), event));
  }
}
