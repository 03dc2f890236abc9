package io.sluice.gateway.responses;

import io.sluice.gateway.responses.record.CreatedResponse;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests again whose gateway may have died between their record and their sending. The pool
 * does not run an id twice, so a request that only waits is not harmed. A gateway does this once
 * for a response. Thread-safe.
 */
@Singleton
final class Recovery {
  /** A gateway that lives has sent the request by then. */
  private static final Duration SENT_WITHIN = Duration.ofSeconds(10);

  /** The pool refuses a request at its deadline, unless all routers are away. */
  static final Duration REFUSED_WITHIN = Duration.ofMinutes(1);

  /** All pools keep answers for so long. */
  private static final Duration KEPT_AFTER_DEADLINE = Duration.ofDays(1);

  private static final int REMEMBERED = 10_000;
  private static final Logger log = LoggerFactory.getLogger(Recovery.class);

  /** Sends requests again. */
  @FunctionalInterface
  interface Sender {
    /**
     * Sends the request of a response; returns when it is in the log.
     *
     * @param created may be without its input
     */
    void sendAgain(CreatedResponse created) throws InterruptedException;
  }

  private final Sender sender;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final SequencedSet<String> resumed = new LinkedHashSet<>();

  Recovery(Sender sender, Clock clock) {
    this.sender = sender;
    this.clock = clock;
  }

  /** Sends the request of a response without replies again, if it may not have been sent. */
  void resume(CreatedResponse created) throws InterruptedException {
    Instant now = clock.instant();
    boolean isDue =
        now.isAfter(created.createdAt().plus(SENT_WITHIN)) && now.isBefore(created.deadline());
    if (isDue && isFirst(created.requestId())) {
      boolean isSent = false;
      try {
        sender.sendAgain(created);
        isSent = true;
        log.info("event=response_sent_again request={}", created.requestId());
      } finally {
        if (!isSent) {
          // The next question tries again.
          forget(created.requestId());
        }
      }
    }
  }

  /** Returns whether a response that has no reply will not get one any more. */
  boolean isTooLate(CreatedResponse created) {
    return clock.instant().isAfter(created.deadline().plus(REFUSED_WITHIN));
  }

  /** Returns whether the replies to a request may have been deleted, as Kafka keeps them. */
  boolean isForgotten(CreatedResponse created) {
    return clock.instant().isAfter(created.deadline().plus(KEPT_AFTER_DEADLINE));
  }

  private void forget(String requestId) {
    lock.lock();
    try {
      resumed.remove(requestId);
    } finally {
      lock.unlock();
    }
  }

  private boolean isFirst(String requestId) {
    lock.lock();
    try {
      if (resumed.size() >= REMEMBERED) {
        var _ = resumed.removeFirst();
      }
      return resumed.add(requestId);
    } finally {
      lock.unlock();
    }
  }
}
