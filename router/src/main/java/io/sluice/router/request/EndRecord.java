package io.sluice.router.request;

/** A record that the router writes when it ends a request. */
public enum EndRecord {
  /** The dead letter for operators. */
  DEAD_LETTER,
  /** The error for the caller. */
  TERMINAL
}
