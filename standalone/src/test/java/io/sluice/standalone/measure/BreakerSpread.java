package io.sluice.standalone.measure;

import io.sluice.fleet.EnginePace;
import io.sluice.fleet.EngineTraits;
import io.sluice.fleet.RedisFleetRegistry;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.WorkerSnapshotBuilder;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.router.fleet.FleetView;
import io.sluice.router.fleet.FleetWatcher;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RedissonClient;

/**
 * Measures the time from writing a breaker's change until the views of 8 routers have it, while the
 * workers send heartbeats. Arguments: changes, workers.
 */
public final class BreakerSpread {
  private static final int VIEWS = 8;
  private static final String POOL = "spread";
  private static final String WORKER = "gpu-0";
  private static final long HEARTBEAT_MILLIS = 250;

  private BreakerSpread() {}

  /** Records when a view receives a change of the one worker that changes. */
  private static final class Seen implements FleetWatcher {
    private final Samples samples;
    private volatile long writtenNanos;
    private volatile CountDownLatch seen = new CountDownLatch(0);

    Seen(Samples samples) {
      this.samples = samples;
    }

    void expect(CountDownLatch latch) {
      seen = latch;
      writtenNanos = System.nanoTime();
    }

    @Override
    public void appeared(String workerId, BreakerState breaker) {}

    @Override
    public void gone(String workerId) {}

    @Override
    public void breakerChanged(String workerId, BreakerState from, BreakerState to) {
      samples.addMillis(System.nanoTime() - writtenNanos);
      seen.countDown();
    }
  }

  public static void main(String[] args) throws Exception {
    int changes = HopOverhead.argument(args, 0, 1_000);
    int workers = HopOverhead.argument(args, 1, 16);
    QuietLog.set();
    Samples samples = new Samples();
    List<RedissonClient> clients = new ArrayList<>();
    List<FleetView> views = new ArrayList<>();
    List<Seen> watchers = new ArrayList<>();
    try (var redis = EmbeddedRedis.start(0)) {
      for (int i = 0; i < VIEWS; i++) {
        clients.add(RedisConnection.open(redis.uri()));
        watchers.add(new Seen(samples));
        views.add(
            new FleetView(
                new RedisFleetRegistry(clients.getLast(), POOL),
                System::nanoTime,
                watchers.getLast()));
      }
      clients.add(RedisConnection.open(redis.uri()));
      var registry = new RedisFleetRegistry(clients.getLast(), POOL);
      Thread beats = Thread.ofPlatform().daemon().start(() -> beat(registry, workers));
      while (views.stream().anyMatch(view -> view.current().workers().size() < workers)) {
        Thread.sleep(HEARTBEAT_MILLIS);
      }
      int lost = 0;
      for (int i = 0; i < changes; i++) {
        CountDownLatch latch = new CountDownLatch(VIEWS);
        watchers.forEach(watcher -> watcher.expect(latch));
        var event = new BreakerEvent.Usage(i % 2 == 0 ? 0.95 : 0.5);
        registry
            .applyToBreaker(
                WORKER, List.of(new BreakerEvent.Timed(event, System.currentTimeMillis())))
            .toCompletableFuture()
            .get(5, TimeUnit.SECONDS);
        lost += latch.await(2, TimeUnit.SECONDS) ? 0 : 1;
      }
      System.out.printf(
          Locale.ROOT,
          "%d changes, %d views, %d workers that beat: seen after p50 %.1f ms, p99 %.1f ms, max %.1f ms; not seen by all: %d%n",
          changes,
          VIEWS,
          workers,
          samples.median(),
          samples.quantile(0.99),
          samples.quantile(1),
          lost);
      beats.interrupt();
      views.forEach(FleetView::close);
      clients.forEach(client -> client.shutdown(0, 1, TimeUnit.SECONDS));
    }
    System.exit(0);
  }

  private static void beat(RedisFleetRegistry registry, int workers) {
    try {
      for (long sequence = 1; ; sequence++) {
        for (int worker = 0; worker < workers; worker++) {
          var _ = registry.publish(snapshot("gpu-" + worker, sequence));
        }
        Thread.sleep(HEARTBEAT_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static WorkerSnapshot snapshot(String id, long sequence) {
    return WorkerSnapshotBuilder.builder()
        .id(id)
        .incarnation("boot")
        .sequence(sequence)
        .models(List.of("llama"))
        .cards(Map.of())
        .lanes(List.of())
        .maxModelLen(8192)
        .tokenBudget(200_000)
        .tokensInUse(0)
        .kvUsage(OptionalDouble.of(0.5))
        .running(0)
        .waiting(0)
        .slots(64)
        .held(Map.of())
        .draining(false)
        .engineUp(true)
        .pace(EnginePace.UNKNOWN)
        .traits(EngineTraits.NONE)
        .version("")
        .build();
  }
}
