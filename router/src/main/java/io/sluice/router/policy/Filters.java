package io.sluice.router.policy;

import io.sluice.common.breaker.BreakerRules;
import io.sluice.common.protocol.Priority;
import java.util.Arrays;
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
  /**
   * Whether the prompt, behind those that wait, fits beside what runs, below the usage at which the
   * worker's breaker would open. What the engine says of its memory counts more than what requests
   * might come to: most end long before their limit, and share their beginnings.
   */
  TOKEN_BUDGET {
    private static final double MOST_USAGE = 0.88;

    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      long budget = candidate.snapshot().tokenBudget();
      if (budget <= 0 || candidate.leases() == 0) {
        return true;
      }
      if (candidate.snapshot().kvUsage().isPresent()) {
        double used = (1 - candidate.kvFree()) * budget;
        double coming = candidate.outlook().queuedTokens() + candidate.uncachedTokens(request);
        return used + coming <= MOST_USAGE * budget;
      }
      // A prefix that is in the cache already takes no more room there.
      long cached = Math.min(candidate.outlook().cachedTokens(), request.promptTokens());
      return candidate.takenTokens() + request.contextTokens() - cached <= budget;
    }
  },
  /** Bulk work leaves room for others. */
  BULK {
    @Override
    public boolean admits(RequestProfile request, Candidate candidate) {
      return request.priority() != Priority.BULK || BulkRoom.has(request, candidate);
    }
  };

  static final List<Filter> ALL = List.copyOf(Arrays.asList(values()));

  private final String reason = name().toLowerCase(Locale.ROOT);

  @Override
  public String reason() {
    return reason;
  }

  /** Whether it looks at load or health, which pass, rather than at what the worker is. */
  boolean passes() {
    return compareTo(ACCEPTING) >= 0;
  }
}
