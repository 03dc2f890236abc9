package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.router.policy.Experience;
import io.sluice.router.prefix.PrefixChain;

/** Where a router in virtual time knows from what the engines have cached. Not thread-safe. */
interface PrefixSource {

  /** It infers that from what it has sent, as a real router does. */
  PrefixSource INFERRED =
      new PrefixSource() {
        @Override
        public Experience experience() {
          return new Experience();
        }

        @Override
        public PrefixChain arrived(FleetRequest request) {
          return TraceRequests.prefix(request);
        }

        @Override
        public void sent(LeaseRef lease, FleetRequest request) {}

        @Override
        public void settled(LeaseRef lease) {}
      };

  /** Returns what the router's policy asks. */
  Experience experience();

  /** A request has arrived; returns the chain of its prompt. */
  PrefixChain arrived(FleetRequest request);

  /** Its prompt is sent to a worker. */
  void sent(LeaseRef lease, FleetRequest request);

  /** The prompt is computed, or left the worker. Called more than once for a lease. */
  void settled(LeaseRef lease);
}
