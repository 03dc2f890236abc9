package io.sluice.router.fleet;

import io.sluice.common.fleet.FleetListener;
import io.sluice.common.fleet.FleetRegistry;
import io.sluice.common.fleet.WorkerSnapshot;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a {@link FleetSnapshot} up to date: pushed by the registry's events, healed by a full
 * re-read every 250 ms, which brings back what a lost event did not tell. While the registry is
 * away the last view stays, marked as not fresh.
 *
 * <p>Thread-safe; {@link #current()} never blocks, so that stream threads may call it.
 */
public final class FleetView implements AutoCloseable {
  private static final Duration RE_READ = Duration.ofMillis(250);
  private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

  /** A worker that is missing from a reading, but did not sign off, is only silent for so long. */
  private static final long FORGOTTEN_NANOS = Duration.ofSeconds(10).toNanos();

  private static final Logger log = LoggerFactory.getLogger(FleetView.class);

  private final FleetRegistry registry;
  private final LongSupplier nanoClock;
  private final ScheduledExecutorService reReader;
  private final Map<String, WorkerView> workers = new HashMap<>();
  private final AutoCloseable subscription;
  private boolean everRead;
  private boolean away;
  private long readAtNanos;
  private volatile Map<String, WorkerView> published = Map.of();
  private volatile long freshUntilNanos;

  /**
   * Starts to watch.
   *
   * @param nanoClock monotonic nanoseconds
   */
  public FleetView(FleetRegistry registry, LongSupplier nanoClock) {
    this.registry = registry;
    this.nanoClock = nanoClock;
    this.freshUntilNanos = nanoClock.getAsLong();
    this.reReader =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("fleet-re-read").factory());
    this.subscription = registry.subscribe(new Events());
    var _ =
        reReader.scheduleWithFixedDelay(this::reRead, 0, RE_READ.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The fleet as it is known now. */
  public FleetSnapshot current() {
    boolean fresh = nanoClock.getAsLong() - freshUntilNanos < 0;
    return new FleetSnapshot(published, fresh);
  }

  @Override
  public void close() {
    reReader.shutdownNow();
    try {
      subscription.close();
    } catch (Exception e) {
      log.info("event=fleet_unsubscribe_failed reason=\"{}\"", e.getMessage());
    }
  }

  private void reRead() {
    long asked = nanoClock.getAsLong();
    registry
        .readAll()
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                lost(failure);
              } else {
                replace(found, asked);
              }
            });
  }

  private synchronized void lost(Throwable failure) {
    if (!away) {
      away = true;
      log.warn(
          "event=registry_away effect=\"routing goes on from the last view\" reason=\"{}\"",
          String.valueOf(failure.getMessage()));
    }
  }

  /** Takes a whole reading, unless a later one was taken before it. */
  private synchronized void replace(List<WorkerSnapshot> found, long askedNanos) {
    if (everRead && askedNanos - readAtNanos < 0) {
      return;
    }
    if (away) {
      away = false;
      log.info("event=registry_back workers={}", found.size());
    }
    boolean blind = !everRead || askedNanos - freshUntilNanos >= 0;
    everRead = true;
    readAtNanos = askedNanos;
    freshUntilNanos = askedNanos + FRESH_NANOS;
    if (blind) {
      // Nobody's silence counts while we were not listening.
      workers.replaceAll((id, view) -> new WorkerView(view.snapshot(), askedNanos));
    }
    found.forEach(snapshot -> workers.put(snapshot.id(), latest(snapshot)));
    workers.values().removeIf(view -> askedNanos - view.heardAtNanos() > FORGOTTEN_NANOS);
    published = Map.copyOf(workers);
  }

  private synchronized void heard(WorkerSnapshot snapshot) {
    workers.put(snapshot.id(), latest(snapshot));
    published = Map.copyOf(workers);
  }

  private synchronized void forgotten(String workerId) {
    workers.remove(workerId);
    published = Map.copyOf(workers);
  }

  /** A repeat of a sequence keeps the time at which it was first heard: the worker may be dead. */
  private WorkerView latest(WorkerSnapshot snapshot) {
    WorkerView known = workers.get(snapshot.id());
    boolean advanced =
        known == null
            || !known.snapshot().incarnation().equals(snapshot.incarnation())
            || known.snapshot().sequence() < snapshot.sequence();
    return known == null || advanced ? new WorkerView(snapshot, nanoClock.getAsLong()) : known;
  }

  private final class Events implements FleetListener {
    @Override
    public void changed(WorkerSnapshot snapshot) {
      heard(snapshot);
    }

    @Override
    public void removed(String workerId) {
      forgotten(workerId);
    }

    @Override
    public void resubscribed() {
      if (!reReader.isShutdown()) {
        reReader.execute(FleetView.this::reRead);
      }
    }
  }
}
