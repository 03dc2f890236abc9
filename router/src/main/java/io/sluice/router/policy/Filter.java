package io.sluice.router.policy;

/** Says whether a worker may get a request at all. Stateless and thread-safe. */
interface Filter {

  /** The short name under which a rejection is reported. */
  String reason();

  boolean admits(RequestProfile request, Candidate candidate);
}
