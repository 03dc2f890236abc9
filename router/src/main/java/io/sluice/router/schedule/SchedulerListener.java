package io.sluice.router.schedule;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.request.RequestMetadata;
import java.util.Set;

/** Hears what the scheduler does, for metrics. Called on stream threads; must not block. */
public interface SchedulerListener {
  /** Hears nothing. */
  SchedulerListener NONE = new SchedulerListener() {};

  default void received(RequestMetadata metadata) {}

  /** A repeat or a redelivery, which is not run again. */
  default void repeated(RequestMetadata metadata) {}

  /** A worker was found for a request, and it was sent there. */
  default void dispatched(DispatchEvent dispatch) {}

  /** Options that every engine of the request's model refuses were left out of it. */
  default void corrected(RequestMetadata metadata, Set<String> options) {}

  /** A lease ended without an answer, and the request waits again. */
  default void requeued(RequestMetadata metadata, String reason) {}

  /** A worker answered the request. */
  default void answered(RequestMetadata metadata) {}

  /** The router answered it with an error. */
  default void refused(RequestMetadata metadata, ErrorKind kind) {}

  /**
   * The router's own code failed.
   *
   * @param at the topic of the record at which it did, or {@code tick}
   */
  default void failed(String at) {}
}
