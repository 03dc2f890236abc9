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
 * A prompt that kills every worker, or every engine, as it gets it. While it is under way nothing
 * else is done to workers, nor to engines if it is they that die.
 *
 * @param workers all of them
 * @param prey what dies: workers or engines
 * @param requests each with the {@link PoisonMark} in its prompt
 */
record Poison(List<Target> workers, Target.Role prey, List<PlannedRequest> requests)
    implements Blow {
  private static final Duration OVER_WITHIN = Duration.ofMinutes(4);

  public Poison {
    workers = List.copyOf(workers);
    requests = List.copyOf(requests);
  }

  @Override
  public List<Target> targets() {
    return prey == Target.Role.WORKER
        ? workers
        : Stream.concat(workers.stream(), victims().stream()).toList();
  }

  @Override
  public String label() {
    return prey == Target.Role.WORKER ? "poisonous prompt" : "prompt that kills engines";
  }

  @Override
  public Duration lasting() {
    return Duration.ZERO;
  }

  @Override
  public void deal(Arena arena) throws InterruptedException {
    arena.victims().watch(workers, prey);
    requests.forEach(arena.load()::send);
    long end = System.nanoTime() + OVER_WITHIN.toNanos();
    while (!requests.stream().allMatch(arena.journal()::isOver) && System.nanoTime() - end < 0) {
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  @Override
  public void recover(Arena arena) throws IOException, InterruptedException {
    arena.victims().unwatch(workers);
    for (Target victim : victims()) {
      arena.pool().startAgain(victim);
    }
  }

  private List<Target> victims() {
    return workers.stream().map(worker -> new Target(prey, worker.number())).toList();
  }
}
