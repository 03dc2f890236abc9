package io.sluice.router.schedule;

/**
 * One thing that happens.
 *
 * @param which of the things that exist at that time, modulo their number
 */
record RandomEvent(Kind kind, int which, int detail) {
  enum Kind {
    REQUEST,
    BAD_REQUEST,
    REDELIVERY,
    OUTCOME_OF_NEWEST_LEASE,
    OUTCOME_OF_ANY_LEASE,
    OUTCOME_OF_UNKNOWN_LEASE,
    CONTROL,
    TERMINAL_WRITTEN,
    TERMINAL_NOT_WRITTEN,
    TIME,
    FREEZE,
    WORKER_CHANGES,
    REGISTRY_CHANGES,
    CRASH
  }
}
