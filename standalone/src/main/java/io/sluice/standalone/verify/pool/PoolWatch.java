package io.sluice.standalone.verify.pool;

import io.sluice.fleet.FleetListener;
import io.sluice.fleet.FleetReading;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.RedisFleetRegistry;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.verify.http.EngineClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.redisson.api.RedissonClient;

/**
 * Records an engine's metrics, and what the routers of a pool with one worker receive about it from
 * Redis, each with its time. Thread-safe.
 */
public final class PoolWatch implements AutoCloseable {
  private static final Duration POLL_EVERY = Duration.ofMillis(100);
  private static final Duration CHECK_EVERY = Duration.ofMillis(10);
  private static final String POOL = "default";

  /** A value and its time. */
  public record Seen<T>(long nanos, T what) {
    /** Returns a value that is seen now. */
    public static <T> Seen<T> now(T what) {
      return new Seen<>(System.nanoTime(), what);
    }
  }

  private final EngineClient engine;
  private final RedissonClient redis;
  private final FleetRegistry registry;
  private final Thread poller;
  private final List<Seen<EngineFigures>> looked = new CopyOnWriteArrayList<>();
  private final List<Seen<WorkerSnapshot>> told = new CopyOnWriteArrayList<>();
  private volatile Seen<BreakerState> breaker = Seen.now(BreakerState.NEW);

  /** What was published before the subscription is found by reading. */
  private volatile boolean hasRead;

  /** Creates a watch over an engine and the pool in this Redis. */
  public PoolWatch(EngineClient engine, String redisUri) {
    this.engine = engine;
    this.redis = RedisConnection.open(redisUri);
    this.registry = new RedisFleetRegistry(redis, POOL);
    // The subscription ends with its connection.
    var _ = registry.subscribe(new Listener());
    this.poller = Thread.ofVirtual().name("verify-pool-poller").start(this::poll);
  }

  /** Returns the engine's metrics so far, in order. */
  public List<Seen<EngineFigures>> looked() {
    return List.copyOf(looked);
  }

  /** Returns the worker's snapshots so far, in order. */
  public List<Seen<WorkerSnapshot>> told() {
    return List.copyOf(told);
  }

  /** Returns the worker's breaker, and since when it is in this state. */
  public Seen<BreakerState> breaker() {
    return breaker;
  }

  /** Returns whether the breaker is closed. */
  public boolean isClosed() {
    return hasRead && breaker.what().phase() == BreakerPhase.CLOSED;
  }

  /** Returns the engine's latest metrics, if there are any. */
  public Optional<EngineFigures> engine() {
    List<Seen<EngineFigures>> all = looked();
    return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast().what());
  }

  /** Returns the engine's latest KV usage; 0 before the first. */
  public double kvUsage() {
    return engine().map(EngineFigures::kvUsage).orElse(0.0);
  }

  /** Returns whether a condition became true in time. */
  public static boolean becomesTrue(BooleanSupplier condition, Duration atMost)
      throws InterruptedException {
    long beganNanos = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - beganNanos > atMost.toNanos()) {
        return false;
      }
      TimeUnit.NANOSECONDS.sleep(CHECK_EVERY.toNanos());
    }
    return true;
  }

  @Override
  public void close() {
    poller.interrupt();
    redis.shutdown();
  }

  private void poll() {
    try {
      while (true) {
        EngineFigures.ask(engine).ifPresent(figures -> looked.add(Seen.now(figures)));
        var _ = registry.readAll().thenAccept(this::read);
        TimeUnit.NANOSECONDS.sleep(POLL_EVERY.toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void read(FleetReading fleet) {
    fleet.breakers().values().forEach(this::note);
    hasRead = true;
  }

  private synchronized void note(BreakerState state) {
    if (state.epoch() > breaker.what().epoch()) {
      breaker = Seen.now(state);
    }
  }

  private final class Listener implements FleetListener {
    @Override
    public void changed(WorkerSnapshot snapshot) {
      told.add(Seen.now(snapshot));
    }

    @Override
    public void removed(String workerId) {
      // The worker leaves only together with its pool.
    }

    @Override
    public void breakerChanged(String workerId, BreakerState state) {
      note(state);
    }

    @Override
    public void resubscribed() {
      // What was missed is read.
    }
  }
}
