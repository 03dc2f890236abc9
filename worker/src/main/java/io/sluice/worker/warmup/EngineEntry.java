package io.sluice.worker.warmup;

import io.sluice.worker.config.WarmUpSettings;
import io.sluice.worker.health.EngineCount;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.health.EngineState;
import io.sluice.worker.limit.Ramp;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets an engine process in. One that is new when its worker starts, or that the watchdog has
 * restarted, is warmed up first, and its limit rises from an eighth. Any other is let in at once:
 * it has served before, or it comes back after a crash, when streams wait for it. {@link #observe}
 * is for one thread, the rest for any.
 */
public final class EngineEntry implements AutoCloseable {
  private static final long NONE = -1;
  private static final Logger log = LoggerFactory.getLogger(EngineEntry.class);

  private final EngineMonitor monitor;
  private final WarmUp warmUp;
  private final WarmUpSettings settings;
  private final Ramp ramp;
  private long seen = NONE;
  private volatile boolean isRestartOrdered;
  private volatile long admitted = NONE;
  private volatile @Nullable Thread entering;

  /** An entry that has seen no engine yet. */
  public EngineEntry(EngineMonitor monitor, WarmUp warmUp, WarmUpSettings settings, Ramp ramp) {
    this.monitor = monitor;
    this.warmUp = warmUp;
    this.settings = settings;
    this.ramp = ramp;
  }

  /** Returns whether the engine is up, and is not a new process that still warms up. */
  public boolean isOpen() {
    EngineState engine = monitor.state();
    return engine.up() && engine.life() == admitted;
  }

  /** Returns whether the engine is up, and warms up. */
  public boolean isWarmingUp() {
    EngineState engine = monitor.state();
    return engine.up() && engine.life() != admitted;
  }

  /** The engine is about to be restarted: the next process is warmed up. */
  public void expectRestart() {
    isRestartOrdered = true;
    monitor.expectAnother();
  }

  /** Must be called after every probe that finds the engine up. */
  public void observe() {
    EngineState engine = monitor.state();
    if (!engine.up() || engine.life() == seen) {
      return;
    }
    boolean isNew = seen == NONE ? hasServedLittle(engine) : isRestartOrdered;
    isRestartOrdered = false;
    seen = engine.life();
    close();
    if (!isNew || settings.requests() == 0) {
      admit(seen, isNew);
      return;
    }
    long life = seen;
    entering = Thread.ofVirtual().name("sluice-warm-up").start(() -> enter(life));
  }

  /** An engine without metrics may have served for long: nothing tells that it is new. */
  private boolean hasServedLittle(EngineState engine) {
    OptionalDouble served = engine.totals().get(EngineCount.FIRST_TOKENS);
    return served.isPresent() && served.getAsDouble() < Math.max(1, settings.requests());
  }

  private void enter(long life) {
    try {
      List<String> models = monitor.announcedModels();
      if (!models.isEmpty()) {
        warmUp.run(models.getFirst(), monitor.state().maxModelLen());
      }
      admit(life, true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.error("event=warm_up_broken", e);
      admit(life, true);
    }
  }

  private void admit(long life, boolean isNew) {
    if (isNew) {
      ramp.begin();
    }
    admitted = life;
  }

  /** Ends a warm-up that is in progress. */
  @Override
  public void close() {
    Thread warming = entering;
    if (warming != null) {
      warming.interrupt();
    }
  }
}
