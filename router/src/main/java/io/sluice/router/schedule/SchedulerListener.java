package io.sluice.router.schedule;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.request.RequestFacts;
import java.util.Set;

/** Hears what the scheduler does, for metrics. Called on stream threads; must not block. */
public interface SchedulerListener {
  /** Hears nothing. */
  SchedulerListener NONE = new SchedulerListener() {};

  default void received(RequestFacts facts) {}

  /** A repeat or a redelivery, which is not run again. */
  default void repeated(RequestFacts facts) {}

  /** A worker was found for a request, and it was sent there. */
  default void placed(Placed placed) {}

  /** Options that every engine of the request's model refuses were left out of it. */
  default void corrected(RequestFacts facts, Set<String> options) {}

  /** A lease ended without an answer, and the request waits again. */
  default void requeued(RequestFacts facts, String reason) {}

  /** A worker answered the request. */
  default void answered(RequestFacts facts) {}

  /** The router answered it with an error. */
  default void refused(RequestFacts facts, ErrorKind kind) {}

  /**
   * The router's own code failed.
   *
   * @param at the topic of the record at which it did, or {@code tick}
   */
  default void failed(String at) {}
}
