package io.sluice.router.request;

/** A record of the router's own with which a request ends. */
public enum EndRecord {
  /** Keeps the request for operators. */
  DEAD_LETTER,
  /** Tells the caller of the error. */
  TERMINAL
}
