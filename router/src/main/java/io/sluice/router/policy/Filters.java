package io.sluice.router.policy;

import io.sluice.common.breaker.BreakerRules;
import io.sluice.common.fleet.WorkerSnapshot;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The filters, in the order in which they are asked. The first three say what a worker is, and do
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
      return switch (candidate.breaker()) {
        case CLOSED -> true;
        case HALF_OPEN -> candidate.leases() < BreakerRules.STANDARD.probes();
        case OPEN -> false;
      };
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
  SLOT {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return candidate.leases() < candidate.snapshot().slots();
    }
  },
  TOKEN_BUDGET {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      WorkerSnapshot snapshot = candidate.snapshot();
      long taken = Math.max(snapshot.tokensInUse(), candidate.reservedTokens());
      boolean unknown = snapshot.tokenBudget() <= 0;
      boolean idle = candidate.leases() == 0;
      return unknown || idle || taken + request.contextTokens() <= snapshot.tokenBudget();
    }
  };

  static final List<Filter> ALL = List.copyOf(Arrays.asList(values()));

  @Override
  public String reason() {
    return name().toLowerCase(Locale.ROOT);
  }
}
