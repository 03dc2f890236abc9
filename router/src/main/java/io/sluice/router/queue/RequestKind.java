package io.sluice.router.queue;

import io.sluice.router.queue.PendingQueue.Group;
import io.sluice.router.request.RequestMetadata;
import java.util.List;

/**
 * Requests that the same workers can serve. A request waits only for earlier ones of its kind.
 *
 * @param tiers the quality tiers that may serve them, the best one first; empty for any
 * @param needs request options that the engine must not refuse
 */
public record RequestKind(String model, String lane, List<String> tiers, List<String> needs) {

  /** Returns the kind of a request. */
  public static RequestKind of(RequestMetadata metadata) {
    return of(Group.of(metadata));
  }

  static RequestKind of(Group group) {
    return new RequestKind(group.model(), group.lane(), group.tiers(), group.needs());
  }
}
