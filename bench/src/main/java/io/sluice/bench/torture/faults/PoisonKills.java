package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.PoolProcesses;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Kills the workers or engines that are about to get a prompt that kills, and starts them again.
 * Thread-safe.
 */
public final class PoisonKills {
  private interface PoolStep {
    void of(Target victim) throws IOException, InterruptedException;
  }

  private final PoolProcesses pool;
  private final Consumer<String> progress;
  private final Map<String, Integer> byRequest = new ConcurrentHashMap<>();
  private final Set<Target> dying = ConcurrentHashMap.newKeySet();

  public PoisonKills(PoolProcesses pool, Consumer<String> progress) {
    this.pool = pool;
    this.progress = progress;
  }

  /** From now on such prompts kill the workers or their engines. */
  void watch(List<Target> workers, Target.Role killed) {
    for (Target worker : workers) {
      Target victim = new Target(killed, worker.number());
      pool.wiring().listenForPoison(worker, id -> kill(victim, id));
    }
  }

  void unwatch(List<Target> workers) {
    workers.forEach(pool.wiring()::stopListening);
  }

  /**
   * The prompt is held back until the process is dead, so that no token of its answer is generated.
   */
  private void kill(Target victim, String requestId) {
    if (!dying.add(victim)) {
      return;
    }
    byRequest.merge(requestId, 1, Integer::sum);
    progress.accept("%s dies of %s".formatted(victim.id(), requestId));
    attempt(victim, pool::kill);
    dying.remove(victim);
    Thread.ofVirtual().name("victim").start(() -> attempt(victim, pool::startAgain));
  }

  private void attempt(Target victim, PoolStep step) {
    try {
      step.of(victim);
    } catch (IOException e) {
      progress.accept("problem: %s at its death: %s".formatted(victim.id(), e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns how many workers or engines a request has killed. */
  public int of(String requestId) {
    return byRequest.getOrDefault(requestId, 0);
  }
}
