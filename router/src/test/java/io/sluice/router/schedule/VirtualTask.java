package io.sluice.router.schedule;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.lease.OutcomeWatermark;
import io.sluice.router.request.EarlyControl;
import io.sluice.router.request.EndRecord;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.request.UnreadableRequest;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** One task of a {@link VirtualRouter}: a scheduler over a store that outlives it. */
final class VirtualTask {
  static final int PARTITION = 0;

  private final VirtualRouter router;
  final InMemoryRequestStore store = new InMemoryRequestStore();
  final RecordedEffects effects = new RecordedEffects();
  private final OutcomeWatermark hearing;
  private Scheduler scheduler;

  VirtualTask(VirtualRouter router) {
    this(router, OutcomeWatermark.AT_ONCE);
  }

  /** One that may be behind with what it hears. */
  VirtualTask(VirtualRouter router, OutcomeWatermark hearing) {
    this.router = router;
    this.hearing = hearing;
    begin();
  }

  /** Starts over from what is stored. */
  void begin() {
    scheduler = new Scheduler(PARTITION, store, effects, router.parts(), hearing, router.now());
    scheduler.recover(router.now());
  }

  Scheduler scheduler() {
    return scheduler;
  }

  void request(TestRequest request) {
    scheduler.request(request.accepted(), request.body(), router.now());
  }

  void outcome(LeaseRef lease, Outcome.Event event) {
    scheduler.outcome(new Outcome(lease, event), router.now());
  }

  void control(Control control) {
    scheduler.control(control, OptionalLong.empty(), router.now());
  }

  /** All that the router had to write of a request's end is in the log. */
  void endWritten(String requestId) {
    for (EndRecord record : EndRecord.values()) {
      scheduler.endWritten(requestId, record, router.now());
    }
  }

  /** Nothing of it could be written. */
  void endNotWritten(String requestId) {
    for (EndRecord record : EndRecord.values()) {
      scheduler.endNotWritten(requestId, record, router.now());
    }
  }

  /** Has the request accepted and started by the worker that it was sent to. */
  LeaseRef start(TestRequest request) {
    request(request);
    LeaseRef lease = effects.lastLease();
    outcome(lease, new Outcome.Accepted());
    outcome(lease, started(10));
    return lease;
  }

  RequestState state(String requestId) {
    return store.get(requestId).orElseThrow().state();
  }

  History history(String requestId) {
    return store.get(requestId).orElseThrow().history();
  }

  /** Returns a state's name, in lower case; {@code unknown} where there is none. */
  String stateName(String requestId) {
    return store
        .find(requestId)
        .map(
            stored ->
                switch (stored) {
                  case TrackedRequest tracked ->
                      tracked.state().getClass().getSimpleName().toLowerCase();
                  case EndedRequest ignored -> "ended";
                  case EarlyControl early -> early.isCancel() ? "cancelled" : "amended";
                  case UnreadableRequest ignored -> "unreadable";
                })
        .orElse("unknown");
  }

  static Outcome.Started started(long offset) {
    return new Outcome.Started(
        "sluice.replies", 3, offset, OptionalLong.empty(), OptionalInt.empty());
  }

  static Outcome.Completed completed() {
    return new Outcome.Completed("stop", 100, 5, 300);
  }
}
