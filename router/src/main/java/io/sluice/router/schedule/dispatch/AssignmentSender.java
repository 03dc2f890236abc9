package io.sluice.router.schedule.dispatch;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.classify.EngineOptions;
import io.sluice.router.placement.Placement;
import io.sluice.router.request.RequestBodies;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.SchedulerListener;
import io.sluice.router.schedule.task.SchedulerParts;
import io.sluice.router.schedule.task.Transitions;
import java.util.Set;

/** Sends requests that have a slot to their workers. Not thread-safe. */
final class AssignmentSender {
  private final RequestBodies bodies;
  private final SchedulerListener listener;
  private final Placement placement;
  private final Transitions transitions;

  AssignmentSender(SchedulerParts parts, Placement placement, Transitions transitions) {
    this.bodies = parts.bodies();
    this.listener = parts.listener();
    this.placement = placement;
    this.transitions = transitions;
  }

  /**
   * Returns whether the request no longer waits. A request whose record is being read keeps its
   * turn but no slot. A retry is not charged to the tenant a second time.
   *
   * @param role of the queue from which the request is sent
   */
  boolean send(
      TrackedRequest tracked, QueueRole role, Placement.Result.Placed placed, TimePoint now) {
    switch (bodies.find(tracked.metadata().source())) {
      case RequestBodies.Lookup.Cached here -> {
        RequestMetadata metadata = role.metadata(tracked);
        if (tracked.history().attempts() == 0) {
          role.charge(metadata, now);
        }
        transitions.lease(
            tracked,
            correct(here.body(), metadata, placed.worker()),
            placed.decision(),
            role.fallbackModel(metadata),
            now);
      }
      case RequestBodies.Lookup.Loading ignored -> {
        placement.undo(tracked.requestId());
        return false;
      }
      case RequestBodies.Lookup.Gone ignored -> {
        placement.undo(tracked.requestId());
        transitions
            .endings()
            .refuse(
                tracked,
                ErrorKind.ENGINE_ERROR,
                "the body of the request is no longer in the log; send the request again");
      }
    }
    return true;
  }

  /** Removes options that the engine would refuse and that the request can do without. */
  private RequestBody correct(RequestBody body, RequestMetadata metadata, WorkerSnapshot worker) {
    if (metadata.classification().needs().isEmpty()) {
      return body;
    }
    Set<String> refused = EngineOptions.correctable(metadata.classification().needs());
    refused.retainAll(worker.traits().refuses());
    if (refused.isEmpty()) {
      return body;
    }
    listener.corrected(metadata, refused);
    return new RequestBody(body.headers(), EngineOptions.without(body.value(), refused));
  }
}
