package io.sluice.common.protocol;

import java.util.Objects;

/**
 * A reference to a lease: the assignment of one attempt of a request to one incarnation of a
 * worker.
 *
 * @param attempt 1, 2, ...
 * @param lease the unique id of the assignment
 * @param incarnation the worker's process and, after a dot, how often that process has discarded
 *     the leases it held
 */
public record LeaseRef(
    String requestId, int attempt, String lease, String worker, String incarnation) {

  public LeaseRef {
    Objects.requireNonNull(requestId, "the lease has no request id");
    Objects.requireNonNull(lease, "the lease has no id");
    Objects.requireNonNull(worker, "the lease has no worker");
    Objects.requireNonNull(incarnation, "the lease has no incarnation");
  }

  /** Returns whether another incarnation belongs to the process to which the lease was given. */
  public boolean isOfProcess(String other) {
    return process(incarnation).equals(process(other));
  }

  /**
   * Returns the process of an incarnation, which stays the same when the process discards its
   * leases.
   */
  public static String process(String incarnation) {
    int dot = incarnation.lastIndexOf('.');
    return dot < 0 ? incarnation : incarnation.substring(0, dot);
  }
}
