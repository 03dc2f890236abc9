package io.sluice.router.schedule.task;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TrackedRequest;
import java.util.Optional;
import java.util.Set;

/** Receives the events of the scheduler, for metrics. Called on stream threads; must not block. */
public interface SchedulerListener {
  /** Where the scheduler's timers fail, as opposed to a record of a topic. */
  String TICK = "tick";

  /** Ignores all events. */
  SchedulerListener NONE = new SchedulerListener() {};

  default void received(RequestMetadata metadata) {}

  /** A repeat or a redelivery arrived. It is not run again. */
  default void repeated(RequestMetadata metadata) {}

  /** A request was dispatched to a worker. */
  default void dispatched(DispatchEvent dispatch) {}

  /** A request waits for a worker of its model to start. */
  default void unserved(UnservedEvent unserved) {}

  /** Options were removed from a request because every engine of its model refuses them. */
  default void corrected(RequestMetadata metadata, Set<String> options) {}

  /** A lease ended without an answer, and the request waits again. */
  default void requeued(RequestMetadata metadata, String reason) {}

  /** A worker answered a request. */
  default void answered(RequestMetadata metadata) {}

  /** The router answered a request with an error. */
  default void refused(RequestMetadata metadata, ErrorKind kind) {}

  /**
   * A request ended, once per end that was decided.
   *
   * @param tracked in its last state before the end
   * @param error with which it ended; empty if it was answered
   */
  default void ended(TrackedRequest tracked, Optional<ErrorKind> error) {}

  /** A starting task found stored values that it cannot read. */
  default void unreadable(int values) {}

  /**
   * The router's own code failed.
   *
   * @param at the topic of the record that was processed, or {@link #TICK}
   */
  default void failed(String at) {}
}
