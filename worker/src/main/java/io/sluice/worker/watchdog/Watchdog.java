package io.sluice.worker.watchdog;

import io.sluice.worker.clock.Periodic;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.config.WatchdogMode;
import io.sluice.worker.config.WatchdogSettings;
import io.sluice.worker.config.WorkerConfig;
import io.sluice.worker.health.EngineMonitor;
import io.sluice.worker.intake.Drain;
import io.sluice.worker.warmup.EngineEntry;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Restarts an engine that has become worse since its start, or as planned, on a thread of its own.
 * Thread-safe.
 */
public final class Watchdog implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final String PLANNED = "planned";

  private final Diagnosis diagnosis;
  private final EngineMonitor monitor;
  private final Optional<EngineRestart> restart;
  private final RestartSchedule schedule;
  private final Periodic loop = new Periodic("sluice-watchdog", INTERVAL, this::check);
  private long life;

  private Watchdog(
      Diagnosis diagnosis,
      EngineMonitor monitor,
      Optional<EngineRestart> restart,
      RestartSchedule schedule) {
    this.diagnosis = diagnosis;
    this.monitor = monitor;
    this.restart = restart;
    this.schedule = schedule;
  }

  /**
   * Returns the watchdog of a worker's engine; it restarts nothing unless the settings say so.
   *
   * @throws IllegalArgumentException if it is to evict the worker's pod, and there is none
   */
  public static Watchdog of(
      WorkerConfig config,
      EngineMonitor monitor,
      Diagnosis diagnosis,
      Permit permit,
      Drain drain,
      EngineEntry entry,
      Ticker ticker) {
    WatchdogSettings settings = config.watchdog();
    Optional<EngineRestart> restart =
        Optional.of(settings.mode())
            .filter(WatchdogMode.RESTART::equals)
            .map(mode -> action(config))
            .map(
                action ->
                    new EngineRestart(
                        monitor, permit, drain, action, entry, settings.bootTimeout(), ticker));
    return new Watchdog(
        diagnosis,
        monitor,
        restart,
        new RestartSchedule(settings.every(), ticker, RandomGenerator.getDefault()));
  }

  private static RestartAction action(WorkerConfig config) {
    WatchdogSettings settings = config.watchdog();
    Duration atMost = settings.actionTimeout();
    if (settings.evictsPod()) {
      var account = new ServiceAccount(ServiceAccount.MOUNTED);
      return PodEviction.inCluster(System.getenv(), account, config.id(), atMost);
    }
    URI engine = config.engine().url();
    return settings
        .command()
        .<RestartAction>map(line -> new CommandRestart(line, config.id(), engine, atMost))
        .orElseGet(
            () -> new PostRestart(settings.url().orElseThrow(), config.id(), engine, atMost));
  }

  /** Begins to restart the engine when it is due, if the settings say so. */
  public void start() {
    if (restart.isPresent()) {
      loop.start();
    }
  }

  /** Returns whether the engine has become worse since its start. */
  public boolean isDegraded() {
    return diagnosis.symptom().isPresent();
  }

  /**
   * Returns how many times as long tokens take now as at the engine's start; 0 if it is not known
   * yet.
   */
  public double slowdown() {
    return diagnosis.slowdown();
  }

  /**
   * Returns what the watchdog does at present: {@code none} or a step of a restart, such as {@code
   * draining}.
   */
  public String step() {
    return restart
        .map(EngineRestart::step)
        .orElse(EngineRestart.Step.NONE)
        .name()
        .toLowerCase(Locale.ROOT);
  }

  /**
   * Returns whether two restarts in a row have failed, and the engine has not been repaired since.
   */
  public boolean hasFailed() {
    return restart.map(EngineRestart::step).filter(EngineRestart.Step.FAILED::equals).isPresent();
  }

  /** Restarts of the engine since the worker's start, without those that failed. */
  public long restarts() {
    return restart.map(EngineRestart::restarts).orElse(0L);
  }

  /** Ends the watch. A restart in progress is left where it is; its permit ends by itself. */
  @Override
  public void close() {
    loop.close();
  }

  private void check() throws InterruptedException {
    if (monitor.state().life() != life) {
      life = monitor.state().life();
      schedule.restarted();
    }
    Optional<String> cause =
        diagnosis
            .symptom()
            .map(Symptom::toString)
            .or(() -> schedule.isDue() ? Optional.of(PLANNED) : Optional.empty());
    if (cause.isPresent() && monitor.state().up()) {
      restart.orElseThrow().run(cause.get());
    }
  }
}
