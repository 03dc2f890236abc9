package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.EngineNode;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.common.protocol.LeaseRef;
import java.util.ArrayList;
import java.util.List;

/** The workers of a fleet, by the positions of their engines. Not thread-safe. */
final class VirtualWorkers {
  private final FleetRun run;
  private final List<VirtualWorker> workers = new ArrayList<>();

  VirtualWorkers(FleetRun run) {
    this.run = run;
  }

  void add(VirtualWorker worker) {
    workers.add(worker);
  }

  VirtualWorker of(int engine) {
    return workers.get(engine);
  }

  VirtualWorker of(LeaseRef lease) {
    return workers.get(VirtualWorker.indexOf(lease.worker()));
  }

  List<VirtualWorker> all() {
    return List.copyOf(workers);
  }

  /** An engine has failed, and its worker too if that is what failed. */
  void engineFailed(int engine) {
    EngineNode node = run.engines().get(engine);
    if (node.isMachineUp()) {
      of(engine).engineFailed();
    } else {
      of(engine).die();
    }
  }

  /** A machine that is back has another worker. A worker that lives finds its engine itself. */
  void engineCameBack(int engine) {
    VirtualWorker worker = of(engine);
    if (worker.isGone()) {
      workers.set(engine, worker.successor());
    }
  }
}
