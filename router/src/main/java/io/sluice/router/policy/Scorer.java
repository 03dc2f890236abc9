package io.sluice.router.policy;

/**
 * Rates how well a worker suits a request, among the workers that may get it. Stateless and
 * thread-safe. {@link PolicyWeight} lists the scorers, with names and default weights.
 */
interface Scorer {

  /** From 0, worst, to 1, best. */
  double score(RequestProfile request, Candidate candidate);
}
