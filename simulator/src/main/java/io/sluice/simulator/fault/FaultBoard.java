package io.sluice.simulator.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Which faults are on. Outlives restarts of the engine it belongs to.
 *
 * <p>Thread-safe. With equal seeds and equal order of requests, the same requests are hit.
 */
public final class FaultBoard {

  private final SplittableRandom random;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile List<Fault> faults;

  /** Creates a board with some faults on. */
  public FaultBoard(List<Fault> faults, long seed) {
    this.faults = List.copyOf(faults);
    this.random = new SplittableRandom(seed);
  }

  /** Returns the faults that are on, in the order in which they were added. */
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

  /** Adds a fault; one of the same kind on the engine replaces the one before. */
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

  /** Calls back after every change, on the thread that made it. */
  public void onChange(Runnable listener) {
    listeners.add(listener);
  }

  /** Draws whether a fault takes the next request; the first one that does wins. */
  public Optional<Effect.OnRequest> draw() {
    for (Fault fault : faults) {
      if (fault.effect() instanceof Effect.OnRequest effect && happens(fault.probability())) {
        return Optional.of(effect);
      }
    }
    return Optional.empty();
  }

  /** Returns the effect of a kind on the engine, if that is on. */
  public <E extends Effect.OnEngine> Optional<E> engine(Class<E> kind) {
    return faults.stream().map(Fault::effect).filter(kind::isInstance).map(kind::cast).findFirst();
  }

  private synchronized boolean happens(double probability) {
    return probability == 1 || random.nextDouble() < probability;
  }
}
