package io.sluice.standalone.verify.pressure;

import io.sluice.fleet.WorkerSnapshot;
import io.sluice.standalone.verify.pool.EngineFigures;
import io.sluice.standalone.verify.pool.Finding;
import io.sluice.standalone.verify.pool.PoolWatch.Seen;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * Checks whether the figures that routing uses are those of the engine: each snapshot of a worker
 * is compared with the pages of metrics that the worker had received until then. Not thread-safe.
 */
final class FiguresCheck {
  /** The interval between two scrapes, as configured for the pool's workers. */
  private static final Duration SCRAPE = Duration.ofMillis(500);

  /**
   * The limit for a single snapshot: far longer than it should take, because machines may be busy.
   */
  private static final Duration NEWS_WITHIN = Duration.ofSeconds(15);

  /** The tolerance for two figures that were once the same number. */
  private static final double SAME = 1e-6;

  private final List<Seen<EngineFigures>> pages;
  private final List<Seen<WorkerSnapshot>> told;

  /** The delay of each snapshot, mostly zero. */
  private final List<Duration> behind = new ArrayList<>();

  /**
   * Creates a check of observed values.
   *
   * @param pages the engine's responses to the worker, in order
   * @param told the worker's snapshots as they arrived from Redis, in order
   */
  FiguresCheck(List<Seen<EngineFigures>> pages, List<Seen<WorkerSnapshot>> told) {
    this.pages = List.copyOf(pages);
    this.told = List.copyOf(told);
  }

  /** Compares running, waiting and KV usage. */
  Finding run() {
    // While the engine does not respond, there is nothing to compare.
    for (Seen<WorkerSnapshot> snapshot :
        told.stream().filter(one -> one.what().engineUp()).toList()) {
      Optional<Finding> difference = difference(snapshot, newestBefore(snapshot.nanos()));
      if (difference.isPresent()) {
        return difference.get();
      }
    }
    int compared = behind.size();
    if (compared == 0) {
      return Finding.broken(
          "expected the worker's snapshots in Redis; %d came, and %d pages of the engine's metrics"
              .formatted(told.size(), pages.size()));
    }
    // A machine that pauses for a moment says nothing about how the worker follows.
    Duration median = behind.stream().sorted().toList().get(compared / 2);
    if (median.compareTo(SCRAPE) > 0) {
      return Finding.broken(
          ("expected snapshots that follow the engine's metrics within a scrape of %d ms; half of %d"
                  + " were behind for more than %d ms")
              .formatted(SCRAPE.toMillis(), compared, median.toMillis()));
    }
    long late = behind.stream().filter(Duration::isPositive).count();
    return Finding.kept(
        ("all %d snapshots have the engine's running (up to %d), waiting (up to %d) and KV use (up to"
                + " %d%%); %d were behind its answers, by at most %d ms")
            .formatted(
                compared,
                most(EngineFigures::running),
                most(EngineFigures::waiting),
                most(page -> (int) Math.round(page.kvUsage() * 100)),
                late,
                behind.stream().mapToLong(Duration::toMillis).max().orElse(0)));
  }

  /** Searches for the page that a snapshot reports, from the newest one available to older ones. */
  private Optional<Finding> difference(Seen<WorkerSnapshot> snapshot, int newest) {
    for (int i = newest; i >= 0; i--) {
      Duration late =
          i == newest
              ? Duration.ZERO
              : Duration.ofNanos(snapshot.nanos() - pages.get(i + 1).nanos());
      if (late.compareTo(NEWS_WITHIN) > 0) {
        return Optional.of(different(pages.get(newest).what(), snapshot.what()));
      }
      if (isSame(pages.get(i).what(), snapshot.what())) {
        behind.add(late);
        return Optional.empty();
      }
    }
    // The snapshot may be older than the first page that was recorded.
    return Optional.empty();
  }

  private static Finding different(EngineFigures engine, WorkerSnapshot worker) {
    return Finding.broken(
        ("expected a snapshot with %s, as the engine said, or what it said up to %d s before; it has"
                + " running %d, waiting %d, KV use %.4f")
            .formatted(
                engine,
                NEWS_WITHIN.toSeconds(),
                worker.running(),
                worker.waiting(),
                worker.kvUsage().orElse(Double.NaN)));
  }

  private int newestBefore(long nanos) {
    int newest = -1;
    while (newest + 1 < pages.size() && pages.get(newest + 1).nanos() - nanos <= 0) {
      newest++;
    }
    return newest;
  }

  private static boolean isSame(EngineFigures engine, WorkerSnapshot worker) {
    return engine.running() == worker.running()
        && engine.waiting() == worker.waiting()
        && Math.abs(engine.kvUsage() - worker.kvUsage().orElse(-1)) < SAME;
  }

  private int most(ToIntFunction<EngineFigures> figure) {
    return pages.stream().map(Seen::what).mapToInt(figure).max().orElse(0);
  }
}
