package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.FleetRun;

/** From where the routers know what the engines have cached. */
public enum CacheKnowledge {
  /** They infer it from what they send. */
  INFERRED {
    @Override
    PrefixSource of(FleetRun run) {
      return PrefixSource.INFERRED;
    }
  },

  /** They are told at once of every change of the engines' caches. */
  EXACT {
    @Override
    PrefixSource of(FleetRun run) {
      return new ExactPrefixes(run.engines());
    }
  },

  /** They infer it, until all of them are killed in the middle of the trace. */
  LOST {
    @Override
    PrefixSource of(FleetRun run) {
      return new KilledPrefixes(run, false);
    }
  },

  /** The same, but they recall what Redis has kept of what they told each other. */
  RECALLED {
    @Override
    PrefixSource of(FleetRun run) {
      return new KilledPrefixes(run, true);
    }
  };

  abstract PrefixSource of(FleetRun run);
}
