package io.sluice.simulator.engine;

/** Who is admitted first and who is preempted first ({@code --scheduling-policy}). */
public enum SchedulingPolicy {
  /** In order of arrival; the last one admitted is preempted. */
  FCFS,
  /**
   * By priority, a lower number first, then by arrival; the last one in that order is preempted.
   */
  PRIORITY
}
