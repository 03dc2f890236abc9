package io.sluice.router.policy;

import java.util.List;
import java.util.Optional;

/**
 * What the policy decided, and why.
 *
 * @param chosen the id of the worker; empty if none can take the request now
 * @param candidates each worker that was looked at
 * @param servable whether any worker in the fleet could serve it, were it not busy
 */
public record Decision(Optional<String> chosen, List<Reason> candidates, boolean servable) {
  public Decision {
    candidates = List.copyOf(candidates);
  }

  /**
   * Why a worker was or was not chosen.
   *
   * @param rejectedBy the filter that ruled it out; empty if none did
   * @param score its weighted score, 0 to 1; 0 if it was ruled out
   */
  public record Reason(String worker, Optional<String> rejectedBy, double score) {}
}
