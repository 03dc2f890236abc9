package io.sluice.simulator.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The active faults of an engine. They survive its restarts.
 *
 * <p>Thread-safe. Equal seeds and an equal order of requests hit the same requests.
 */
public final class FaultBoard {

  private final SplittableRandom random;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile List<Fault> faults;

  /** Creates a board with active faults. */
  public FaultBoard(List<Fault> faults, long seed) {
    this.faults = List.copyOf(faults);
    this.random = new SplittableRandom(seed);
  }

  /** Returns the active faults in the order in which they were added. */
  public List<Fault> faults() {
    return faults;
  }

  /** Replaces all faults. */
  public void set(List<Fault> wanted) {
    synchronized (this) {
      faults = List.copyOf(wanted);
    }
    listeners.forEach(Runnable::run);
  }

  /** Adds a fault. A fault on the engine replaces the active one of its kind. */
  public void add(Fault fault) {
    synchronized (this) {
      List<Fault> more = new ArrayList<>(faults);
      if (fault.effect() instanceof Effect.OnEngine) {
        more.removeIf(one -> one.effect().getClass() == fault.effect().getClass());
      }
      more.add(fault);
      faults = List.copyOf(more);
    }
    listeners.forEach(Runnable::run);
  }

  /** Sets the action that runs after every change, on the thread that made the change. */
  public void onChange(Runnable listener) {
    listeners.add(listener);
  }

  /** Draws which fault hits the next request, if any. The first one that hits is used. */
  public Optional<Effect.OnRequest> draw() {
    for (Fault fault : faults) {
      if (fault.effect() instanceof Effect.OnRequest effect && happens(fault.probability())) {
        return Optional.of(effect);
      }
    }
    return Optional.empty();
  }

  /** Returns the active effect of a kind on the engine, if there is one. */
  public <E extends Effect.OnEngine> Optional<E> engine(Class<E> kind) {
    return faults.stream().map(Fault::effect).filter(kind::isInstance).map(kind::cast).findFirst();
  }

  private synchronized boolean happens(double probability) {
    return probability == 1 || random.nextDouble() < probability;
  }
}
