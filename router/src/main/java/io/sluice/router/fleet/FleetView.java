package io.sluice.router.fleet;

import io.sluice.common.fleet.FleetListener;
import io.sluice.common.fleet.FleetRegistry;
import io.sluice.common.fleet.WorkerSnapshot;
import java.time.Duration;
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
  private static final Logger log = LoggerFactory.getLogger(FleetView.class);

  private final FleetRegistry registry;
  private final LongSupplier nanoClock;
  private final ScheduledExecutorService reReader;
  private final KnownWorkers known;
  private final AutoCloseable subscription;
  private boolean away;
  private volatile Published published;

  private record Published(Map<String, WorkerView> workers, long freshUntilNanos) {}

  /**
   * Starts to watch.
   *
   * @param nanoClock monotonic nanoseconds
   */
  public FleetView(FleetRegistry registry, LongSupplier nanoClock) {
    this.registry = registry;
    this.nanoClock = nanoClock;
    this.known = new KnownWorkers(nanoClock.getAsLong());
    this.published = new Published(known.all(), known.freshUntilNanos());
    this.reReader =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("fleet-re-read").factory());
    this.subscription = registry.subscribe(new Events());
    var _ =
        reReader.scheduleWithFixedDelay(this::reRead, 0, RE_READ.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The fleet as it is known now. */
  public FleetSnapshot current() {
    Published last = published;
    boolean fresh = nanoClock.getAsLong() - last.freshUntilNanos() < 0;
    return new FleetSnapshot(last.workers(), fresh);
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
    try {
      registry
          .readAll()
          .whenComplete(
              (found, failure) -> {
                if (failure != null) {
                  lost(failure);
                } else {
                  read(found, asked);
                }
              });
    } catch (RuntimeException e) {
      // An exception that left this method would end the re-reading for good.
      lost(e);
    }
  }

  private synchronized void lost(Throwable failure) {
    if (!away) {
      away = true;
      log.warn(
          "event=registry_away effect=\"routing goes on from the last view\" reason=\"{}\"",
          String.valueOf(failure.getMessage()));
    }
  }

  private synchronized void read(List<WorkerSnapshot> found, long askedNanos) {
    if (away) {
      away = false;
      log.info("event=registry_back workers={}", found.size());
    }
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

  private void publish() {
    published = new Published(known.all(), known.freshUntilNanos());
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
    public void resubscribed() {
      reRead();
    }
  }
}
