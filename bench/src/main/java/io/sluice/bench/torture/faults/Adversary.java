package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.Pace;
import io.sluice.bench.torture.pool.Replicas;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Carries out a schedule. A blow waits until the pool has recovered enough to bear it, while others
 * go on, so on a slow machine there are fewer of them. Thread-safe.
 */
public final class Adversary implements AutoCloseable {
  private final Arena arena;
  private final Replicas replicas;
  private final Limits limits;
  private final Consumer<String> progress;
  private final List<InjectedFault> done = new ArrayList<>();
  private final List<String> mishaps = new ArrayList<>();
  private final List<Thread> blows = new ArrayList<>();
  private volatile boolean isOver;

  public Adversary(Arena arena, Replicas replicas, Limits limits, Consumer<String> progress) {
    this.arena = arena;
    this.replicas = replicas;
    this.limits = limits;
    this.progress = progress;
  }

  /** Strikes by the schedule; returns when the time is over. */
  public void run(List<Schedule.Event> schedule, Duration length) throws InterruptedException {
    Pace pace = Pace.fromNow();
    for (Schedule.Event event : schedule) {
      pace.await(event.at());
      blows.add(Thread.ofVirtual().name("blow").start(() -> strike(event.blow())));
    }
    pace.await(length);
    isOver = true;
  }

  /** Waits until everything is well again; what is not by then is a mishap. */
  public void awaitRecovery(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    for (Thread blow : blows) {
      if (!blow.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())))) {
        mishap("the pool did not recover within %d s".formatted(limit.toSeconds()));
        return;
      }
    }
  }

  private void strike(Blow blow) {
    try {
      limits.disturb(blow.targets());
      try {
        if (!isOver) {
          dealAndUndo(blow);
        }
      } finally {
        limits.recovered(blow.targets());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void dealAndUndo(Blow blow) throws InterruptedException {
    progress.accept("%s %s".formatted(blow.label(), ids(blow)));
    long from = System.currentTimeMillis();
    try {
      attempt(
          blow,
          () -> {
            blow.deal(arena);
            TimeUnit.NANOSECONDS.sleep(blow.lasting().toNanos());
          });
      attempt(blow, () -> blow.recover(arena));
      if (blow.hits(Target.Role.BROKER)) {
        attempt(blow, replicas::awaitInSync);
      }
    } finally {
      synchronized (this) {
        done.add(new InjectedFault(from, System.currentTimeMillis(), blow.label(), blow.targets()));
      }
    }
  }

  @FunctionalInterface
  private interface Step {
    void run() throws IOException, InterruptedException, TimeoutException;
  }

  /** What fails is a mishap; the blow is undone all the same. */
  private void attempt(Blow blow, Step step) throws InterruptedException {
    try {
      step.run();
    } catch (IOException | TimeoutException e) {
      mishap("%s %s: %s".formatted(blow.label(), ids(blow), e));
    }
  }

  private static List<String> ids(Blow blow) {
    return blow.targets().stream().map(Target::id).toList();
  }

  private synchronized void mishap(String what) {
    progress.accept("mishap: " + what);
    mishaps.add(what);
  }

  public synchronized List<InjectedFault> done() {
    return List.copyOf(done);
  }

  /** What did not go as it should for the processes themselves, such as a stop that hangs. */
  public synchronized List<String> mishaps() {
    return List.copyOf(mishaps);
  }

  @Override
  public void close() {
    blows.forEach(Thread::interrupt);
  }
}
