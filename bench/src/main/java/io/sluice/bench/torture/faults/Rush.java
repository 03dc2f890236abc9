package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.List;

/** Callers that send something out of the ordinary; no process is touched. */
record Rush(String label, List<PlannedRequest> requests, Duration lasting) implements Blow {
  Rush {
    requests = List.copyOf(requests);
  }

  @Override
  public List<Target> targets() {
    return List.of();
  }

  @Override
  public void deal(Arena arena) {
    requests.forEach(arena.load()::send);
  }

  @Override
  public void recover(Arena arena) {
    // What was sent ends by itself.
  }
}
