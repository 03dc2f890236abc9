package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.List;

/** Unusual requests of callers. No process is disrupted. */
record RequestBurst(String label, List<PlannedRequest> requests, Duration duration)
    implements Fault {
  RequestBurst {
    requests = List.copyOf(requests);
  }

  @Override
  public List<Target> targets() {
    return List.of();
  }

  @Override
  public void inject(FaultContext context) {
    requests.forEach(context.load()::send);
  }

  @Override
  public void recover(FaultContext context) {
    // The requests end by themselves.
  }
}
