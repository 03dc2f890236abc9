package io.sluice.router.fleet;

import io.sluice.common.time.RepeatingThread;
import io.sluice.fleet.FleetListener;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerState;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a {@link FleetSnapshot} up to date. Events of the registry update it at once, and a
 * complete read every 250 ms recovers lost events. While the registry is unreachable, the last view
 * stays and is marked as not fresh. Some seconds later it no longer contains the load of the
 * workers.
 *
 * <p>Thread-safe; {@link #current()} never blocks, so stream threads may call it.
 */
public final class FleetView implements AutoCloseable {
  private static final Duration RE_READ = Duration.ofMillis(250);

  /** How long the last reported load counts after the registry became unreachable. */
  private static final Duration LOAD_COUNTS_FOR = Duration.ofSeconds(3);

  private static final Logger log = LoggerFactory.getLogger(FleetView.class);

  private final FleetRegistry registry;
  private final LongSupplier nanoClock;
  private final RepeatingThread reReader = new RepeatingThread("fleet-re-read");
  private final KnownWorkers known;
  private final AutoCloseable subscription;
  private volatile Published published;
  private volatile CompletionStage<FleetReading> reading = new CompletableFuture<>();

  private record Published(
      Map<String, WorkerView> workers, long freshUntilNanos, long readAtNanos) {}

  /**
   * Starts to watch the registry.
   *
   * @param nanoClock monotonic nanoseconds
   * @param watcher receives the changes
   */
  public FleetView(FleetRegistry registry, LongSupplier nanoClock, FleetWatcher watcher) {
    this.registry = registry;
    this.nanoClock = nanoClock;
    this.known = new KnownWorkers(watcher, nanoClock.getAsLong());
    this.published = latest();
    this.subscription = registry.subscribe(new Events());
    var _ = reReader.repeat(Duration.ZERO, RE_READ, this::reRead);
  }

  /** Returns the fleet as it is currently known. */
  public FleetSnapshot current() {
    Published last = published;
    long now = nanoClock.getAsLong();
    return new FleetSnapshot(
        last.workers(),
        now - last.freshUntilNanos() < 0,
        Duration.ofNanos(Math.max(0, now - last.readAtNanos())));
  }

  /**
   * Returns the latest complete read, which may be in progress; fails if the registry is
   * unreachable.
   */
  public CompletionStage<?> latestReading() {
    return reading;
  }

  @Override
  public void close() {
    reReader.close();
    try {
      subscription.close();
    } catch (Exception e) {
      log.info("event=fleet_unsubscribe_failed reason=\"{}\"", e.getMessage());
    }
  }

  private void reRead() {
    long asked = nanoClock.getAsLong();
    reading = read();
    reading.whenComplete(
        (found, failure) -> {
          if (failure != null) {
            lost();
          } else {
            read(found, asked);
          }
        });
  }

  /** A call that fails is a failed reading, which ages the view. */
  private CompletionStage<FleetReading> read() {
    try {
      return registry.readAll();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private synchronized void lost() {
    long silent = nanoClock.getAsLong() - known.freshUntilNanos();
    if (silent > LOAD_COUNTS_FOR.toNanos()) {
      published = outdated();
    }
  }

  private synchronized void read(FleetReading found, long askedNanos) {
    known.read(found, askedNanos, nanoClock.getAsLong());
    publish();
  }

  private synchronized void heard(WorkerSnapshot snapshot) {
    known.heard(snapshot, nanoClock.getAsLong());
    publish();
  }

  private synchronized void signedOff(String workerId) {
    known.signedOff(workerId, nanoClock.getAsLong());
    publish();
  }

  private synchronized void heard(String workerId, BreakerState breaker) {
    known.heard(workerId, breaker);
    publish();
  }

  private void publish() {
    published = latest();
  }

  private Published outdated() {
    Map<String, WorkerView> workers = new HashMap<>();
    known.all().forEach((id, view) -> workers.put(id, view.outdated()));
    return new Published(OrderedWorkers.of(workers), known.freshUntilNanos(), known.readAtNanos());
  }

  private Published latest() {
    return new Published(known.all(), known.freshUntilNanos(), known.readAtNanos());
  }

  private final class Events implements FleetListener {
    @Override
    public void changed(WorkerSnapshot snapshot) {
      heard(snapshot);
    }

    @Override
    public void removed(String workerId) {
      signedOff(workerId);
    }

    @Override
    public void breakerChanged(String workerId, BreakerState breaker) {
      heard(workerId, breaker);
    }

    @Override
    public void resubscribed() {
      reRead();
    }
  }
}
