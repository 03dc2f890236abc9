package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.Timeline;
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
 * Injects the faults of a plan. A fault waits until the {@link DisruptionBudget} allows it, while
 * others continue, so a slow machine sees fewer faults. Thread-safe.
 */
public final class FaultInjector implements AutoCloseable {
  private final FaultContext context;
  private final Replicas replicas;
  private final DisruptionBudget budget;
  private final Consumer<String> progress;
  private final List<InjectedFault> done = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final List<Thread> faults = new ArrayList<>();
  private volatile boolean isOver;

  public FaultInjector(
      FaultContext context, Replicas replicas, DisruptionBudget budget, Consumer<String> progress) {
    this.context = context;
    this.replicas = replicas;
    this.budget = budget;
    this.progress = progress;
  }

  /** Injects faults according to the plan; returns when the time is over. */
  public void run(List<FaultPlan.Entry> schedule, Duration length) throws InterruptedException {
    Timeline pace = Timeline.fromNow();
    for (FaultPlan.Entry entry : schedule) {
      pace.await(entry.at());
      faults.add(Thread.ofVirtual().name("fault").start(() -> inject(entry.fault())));
    }
    pace.await(length);
    isOver = true;
  }

  /**
   * Waits until all targets have recovered; a recovery that takes longer than the limit is a
   * problem.
   */
  public void awaitRecovery(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    for (Thread fault : faults) {
      if (!fault.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())))) {
        problem("the pool did not recover within %d s".formatted(limit.toSeconds()));
        return;
      }
    }
  }

  private void inject(Fault fault) {
    try {
      budget.disrupt(fault.targets());
      try {
        if (!isOver) {
          injectAndRecover(fault);
        }
      } finally {
        budget.recovered(fault.targets());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void injectAndRecover(Fault fault) throws InterruptedException {
    progress.accept("%s %s".formatted(fault.label(), ids(fault)));
    long from = System.currentTimeMillis();
    try {
      attempt(
          fault,
          () -> {
            fault.inject(context);
            TimeUnit.NANOSECONDS.sleep(fault.duration().toNanos());
          });
      attempt(fault, () -> fault.recover(context));
      if (fault.affects(Target.Role.BROKER)) {
        attempt(fault, replicas::awaitInSync);
      }
    } finally {
      synchronized (this) {
        done.add(
            new InjectedFault(from, System.currentTimeMillis(), fault.label(), fault.targets()));
      }
    }
  }

  @FunctionalInterface
  private interface Step {
    void run() throws IOException, InterruptedException, TimeoutException;
  }

  /** A step that fails is a problem; the fault is undone nevertheless. */
  private void attempt(Fault fault, Step step) throws InterruptedException {
    try {
      step.run();
    } catch (IOException | TimeoutException e) {
      problem("%s %s: %s".formatted(fault.label(), ids(fault), e));
    }
  }

  private static List<String> ids(Fault fault) {
    return fault.targets().stream().map(Target::id).toList();
  }

  private synchronized void problem(String what) {
    progress.accept("problem: " + what);
    problems.add(what);
  }

  public synchronized List<InjectedFault> done() {
    return List.copyOf(done);
  }

  /** Problems of the processes themselves, such as a stop that hangs. */
  public synchronized List<String> problems() {
    return List.copyOf(problems);
  }

  @Override
  public void close() {
    faults.forEach(Thread::interrupt);
  }
}
