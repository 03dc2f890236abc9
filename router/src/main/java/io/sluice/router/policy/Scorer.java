package io.sluice.router.policy;

/**
 * Says how well a worker suits a request, among those that may get it. Stateless and thread-safe.
 */
interface Scorer {

  /** The short name under which the score is reported, and its weight configured. */
  String name();

  /** From 0, worst, to 1, best. */
  double score(RequestProfile request, Candidate candidate);
}
