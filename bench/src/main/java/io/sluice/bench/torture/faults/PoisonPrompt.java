package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.pool.PoisonMark;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Sends a prompt that kills every worker, or every engine, that is about to get it. Until the
 * request has ended, no other fault is injected into workers, nor into engines if the prompt kills
 * engines.
 *
 * @param workers all workers of the pool
 * @param killed whether workers or engines die
 * @param requests each with the {@link PoisonMark} in its prompt
 */
record PoisonPrompt(List<Target> workers, Target.Role killed, List<PlannedRequest> requests)
    implements Fault {
  private static final Duration OVER_WITHIN = Duration.ofMinutes(4);

  public PoisonPrompt {
    workers = List.copyOf(workers);
    requests = List.copyOf(requests);
  }

  @Override
  public List<Target> targets() {
    return killed == Target.Role.WORKER
        ? workers
        : Stream.concat(workers.stream(), victims().stream()).toList();
  }

  @Override
  public String label() {
    return killed == Target.Role.WORKER ? "prompt that kills workers" : "prompt that kills engines";
  }

  @Override
  public Duration duration() {
    return Duration.ZERO;
  }

  @Override
  public void inject(FaultContext context) throws InterruptedException {
    context.kills().watch(workers, killed);
    requests.forEach(context.load()::send);
    long end = System.nanoTime() + OVER_WITHIN.toNanos();
    while (!requests.stream().allMatch(context.journal()::isOver) && System.nanoTime() - end < 0) {
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  @Override
  public void recover(FaultContext context) throws IOException, InterruptedException {
    context.kills().unwatch(workers);
    for (Target victim : victims()) {
      context.pool().startAgain(victim);
    }
  }

  private List<Target> victims() {
    return workers.stream().map(worker -> new Target(killed, worker.number())).toList();
  }
}
