package io.sluice.router.policy;

/** Says whether a worker may get a request at all. Stateless and thread-safe. */
interface Filter {

  /** Returns the short name that is reported for a worker that the filter excludes. */
  String reason();

  boolean admits(RequestProfile request, Candidate candidate);
}
