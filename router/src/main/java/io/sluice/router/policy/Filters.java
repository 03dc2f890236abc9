package io.sluice.router.policy;

import io.sluice.common.protocol.Priority;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The filters, in the order in which they are asked, each with its scope and one line of meaning. A
 * new filter is a constant here and a line in {@link #allAdmit}.
 */
enum Filters implements Filter {
  MODEL(Scope.WORKER, "the worker serves the model") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return candidate.snapshot().models().contains(request.model());
    }
  },
  LANE(Scope.WORKER, "the worker takes requests of the lane") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      List<String> lanes = candidate.snapshot().lanes();
      return lanes.isEmpty() || lanes.contains(request.lane());
    }
  },
  CONTEXT(Scope.WORKER, "prompt and output fit the longest context of the worker") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return request.contextTokens() <= candidate.snapshot().maxModelLen();
    }
  },
  TIER(Scope.WORKER, "the worker is in one of the tiers that may serve the request") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return request.tiers().isEmpty()
          || candidate.snapshot().tier().isEmpty()
          || request.tiers().contains(candidate.snapshot().tier().get());
    }
  },
  CAPABILITY(Scope.WORKER, "the engine takes every option that the request needs") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return request.needs().isEmpty()
          || Collections.disjoint(request.needs(), candidate.snapshot().traits().refuses());
    }
  },
  ACCEPTING(Scope.HEALTH, "the worker accepts requests, and its topic can be written") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return candidate.snapshot().accepting() && candidate.reachable();
    }
  },
  BREAKER(
      Scope.HEALTH, "the circuit breaker of the worker is closed, or half-open with a probe left") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return candidate.breaker().admitsWith(candidate.leases());
    }
  },
  HEARTBEAT(Scope.HEALTH, "the heartbeat of the worker is not late") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return !candidate.lateHeartbeat();
    }
  },
  HANDED_BACK(Scope.HEALTH, "the worker has not just handed this request back") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return !candidate.recentlyHandedBack();
    }
  },
  RESERVED(Scope.ROOM, "the capacity of the worker is not reserved for another request") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return !candidate.reservedForOther();
    }
  },
  SLOT(Scope.ROOM, "the worker has a free slot") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return candidate.leases() < candidate.snapshot().slots();
    }
  },
  TOKEN_BUDGET(Scope.ROOM, "the prompt fits the free memory of the worker") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return candidate.tokensOver(request) <= 0;
    }
  },
  BULK(Scope.ROOM, "a bulk request leaves room for interactive ones") {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return request.priority() != Priority.BULK || BulkRoom.has(request, candidate);
    }
  };

  static final List<Filters> ALL = List.of(values());

  /** The name of {@link #RESERVED} in decisions that earlier versions stored. */
  static final String RESERVED_IN_OLD_DECISIONS = "held";

  /** What a filter looks at. */
  enum Scope {
    /** What the worker is, whatever its load: a worker that fails will never serve the request. */
    WORKER,
    /** Health, which may change. */
    HEALTH,
    /** Room, which becomes free as running requests end. */
    ROOM
  }

  private final String reason;
  private final Scope scope;
  private final String meaning;

  Filters(Scope scope, String meaning) {
    this.reason = name().toLowerCase(Locale.ROOT);
    this.scope = scope;
    this.meaning = meaning;
  }

  @Override
  public String reason() {
    return reason;
  }

  /** Returns what it looks at. */
  Scope scope() {
    return scope;
  }

  /** Returns whether a worker that fails it passes as soon as enough running requests end. */
  boolean isFreedByAnswers() {
    return this == SLOT || this == TOKEN_BUDGET;
  }

  /** Returns one line: what is true of a worker that it admits. */
  String meaning() {
    return meaning;
  }

  /**
   * Returns whether every filter admits a worker. This is asked of each worker for each request.
   * The filters are named one by one because the compiler inlines them then, which takes a fraction
   * of the time of a loop.
   */
  static boolean allAdmit(RequestProfile request, Candidate candidate) {
    return MODEL.admits(request, candidate)
        && LANE.admits(request, candidate)
        && CONTEXT.admits(request, candidate)
        && TIER.admits(request, candidate)
        && CAPABILITY.admits(request, candidate)
        && ACCEPTING.admits(request, candidate)
        && BREAKER.admits(request, candidate)
        && HEARTBEAT.admits(request, candidate)
        && HANDED_BACK.admits(request, candidate)
        && RESERVED.admits(request, candidate)
        && SLOT.admits(request, candidate)
        && TOKEN_BUDGET.admits(request, candidate)
        && BULK.admits(request, candidate);
  }
}
