package io.sluice.router.schedule;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.policy.Decision;
import java.util.Set;

/** Hears what the scheduler does, for metrics. Called on stream threads; must not block. */
public interface SchedulerListener {
  void received(RequestFacts facts);

  /** A repeat or a redelivery, which is not run again. */
  void repeated(RequestFacts facts);

  void assigned(RequestFacts facts, String worker, int attempt, long waitedMillis);

  /** The policy has found a worker for a request, and the slot is taken. */
  void decided(RequestFacts facts, Decision decision);

  /** The assignment before was to a worker of a fallback model. */
  default void fellBack(RequestFacts facts, String fallbackModel) {}

  /** Options that every engine of the request's model refuses were left out of it. */
  default void corrected(RequestFacts facts, Set<String> options) {}

  /** A lease ended without an answer, and the request waits again. */
  void requeued(RequestFacts facts, String reason);

  /** A worker answered the request. */
  void answered(RequestFacts facts);

  /** The router answered it with an error. */
  void refused(RequestFacts facts, ErrorKind kind);
}
