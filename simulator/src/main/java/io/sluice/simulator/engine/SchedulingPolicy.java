package io.sluice.simulator.engine;

/** Which sequence is admitted first and which is preempted first ({@code --scheduling-policy}). */
public enum SchedulingPolicy {
  /** In order of arrival. The last admitted sequence is preempted first. */
  FCFS,
  /**
   * By priority, a lower number first, and then by arrival. The last sequence in that order is
   * preempted first.
   */
  PRIORITY
}
