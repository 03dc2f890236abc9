package io.sluice.router.policy;

import io.sluice.common.protocol.Priority;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The filters, in the order in which they are asked. The first five say what a worker is, and do
 * not change with load: a worker that fails one of them will never serve the request.
 */
enum Filters implements Filter {
  MODEL {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return candidate.snapshot().models().contains(request.model());
    }
  },
  LANE {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      List<String> lanes = candidate.snapshot().lanes();
      return lanes.isEmpty() || lanes.contains(request.lane());
    }
  },
  CONTEXT {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return request.contextTokens() <= candidate.snapshot().maxModelLen();
    }
  },
  TIER {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return request.tiers().isEmpty()
          || candidate.snapshot().tier().isEmpty()
          || request.tiers().contains(candidate.snapshot().tier().get());
    }
  },
  CAPABILITY {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return request.needs().isEmpty()
          || Collections.disjoint(request.needs(), candidate.snapshot().traits().refuses());
    }
  },
  ACCEPTING {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return candidate.snapshot().accepting() && candidate.reachable();
    }
  },
  /** Of a half-open worker's probes it is the judge itself; this only keeps the others away. */
  BREAKER {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return candidate.breaker().admitsBeside(candidate.leases());
    }
  },
  HEARTBEAT {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return !candidate.suspect();
    }
  },
  HANDED_BACK {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return !candidate.excluded();
    }
  },
  /** Who has waited long for room gets what becomes free before those behind it. */
  HELD {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return !candidate.held();
    }
  },
  SLOT {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return candidate.leases() < candidate.snapshot().slots();
    }
  },
  TOKEN_BUDGET {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return candidate.tokensOver(request) <= 0;
    }
  },
  /** Bulk work leaves room for others. */
  BULK {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return request.priority() != Priority.BULK || BulkRoom.has(request, candidate);
    }
  };

  static final List<Filters> ALL = List.of(values());

  private final String reason = name().toLowerCase(Locale.ROOT);

  @Override
  public String reason() {
    return reason;
  }

  /**
   * Whether no filter refuses a worker. Asked of each worker for each request: named one by one,
   * the filters become one piece of machine code, which takes a fraction of the time of a loop over
   * them.
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
        && HELD.admits(request, candidate)
        && SLOT.admits(request, candidate)
        && TOKEN_BUDGET.admits(request, candidate)
        && BULK.admits(request, candidate);
  }

  /** Whether it looks at nothing but room, which becomes free as what runs there ends. */
  boolean looksAtRoom() {
    return compareTo(HELD) >= 0;
  }

  /** Whether it looks at load or health, which pass, rather than at what the worker is. */
  boolean passes() {
    return compareTo(ACCEPTING) >= 0;
  }
}
