package io.sluice.common.protocol;

/**
 * Names one lease: the assignment of one attempt of a request to one incarnation of a worker.
 *
 * @param attempt 1, 2, ...
 * @param lease unique id of the assignment
 * @param incarnation a worker's process, and, behind a dot, how often it had to forget what it held
 */
public record LeaseRef(
    String requestId, int attempt, String lease, String worker, String incarnation) {

  /** Whether another incarnation of the worker is of the process to which the lease was given. */
  public boolean isOfProcess(String other) {
    return process(incarnation).equals(process(other));
  }

  /** The process of an incarnation; the same after the process had to forget what it held. */
  public static String process(String incarnation) {
    int dot = incarnation.lastIndexOf('.');
    return dot < 0 ? incarnation : incarnation.substring(0, dot);
  }
}
