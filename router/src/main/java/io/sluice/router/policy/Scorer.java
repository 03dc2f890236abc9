package io.sluice.router.policy;

/**
 * Says how well a worker suits a request, among those that may get it. Stateless and thread-safe.
 * {@link PolicyWeight} lists them, with names and default weights.
 */
interface Scorer {

  /** From 0, worst, to 1, best. */
  double score(RequestProfile request, Candidate candidate);
}
