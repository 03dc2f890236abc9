package io.sluice.bench.torture;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A prompt that kills every worker that begins to serve it. While it is under way nothing else is
 * done to workers.
 *
 * @param targets all workers
 * @param requests each with the {@link #MARK} and its id in the prompt
 */
record Poison(List<Target> targets, List<PlannedRequest> requests) implements Blow {
  /** What comes before the id of a poisonous request in its prompt. */
  static final String MARK = "poison-for-workers:";

  /** What comes behind it. */
  static final char END = ';';

  private static final Duration OVER_WITHIN = Duration.ofSeconds(90);

  Poison {
    targets = List.copyOf(targets);
    requests = List.copyOf(requests);
  }

  @Override
  public String label() {
    return "poisonous prompt";
  }

  @Override
  public Duration lasting() {
    return Duration.ZERO;
  }

  @Override
  public void deal(Arena arena) throws InterruptedException {
    arena.victims().watch(targets);
    requests.forEach(arena.load()::send);
    long end = System.nanoTime() + OVER_WITHIN.toNanos();
    while (!requests.stream().allMatch(arena.journal()::isOver) && System.nanoTime() - end < 0) {
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  @Override
  public void recover(Arena arena) throws IOException, InterruptedException {
    arena.victims().unwatch(targets);
    for (Target worker : targets) {
      arena.pool().startAgain(worker);
    }
  }
}
