package io.sluice.bench.torture;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Kills the workers that begin to serve a poisonous prompt, and starts them again. Thread-safe. */
final class Victims {
  private final PoolProcesses pool;
  private final Consumer<String> progress;
  private final Map<String, Integer> byRequest = new ConcurrentHashMap<>();
  private final Set<Target> dying = ConcurrentHashMap.newKeySet();

  Victims(PoolProcesses pool, Consumer<String> progress) {
    this.pool = pool;
    this.progress = progress;
  }

  /** From now on such prompts kill. */
  void watch(List<Target> workers) {
    for (Target worker : workers) {
      pool.wiring()
          .links(worker, Target.Role.ENGINE)
          .forEach(link -> link.listen(id -> kill(worker, id)));
    }
  }

  void unwatch(List<Target> workers) {
    for (Target worker : workers) {
      pool.wiring().links(worker, Target.Role.ENGINE).forEach(TcpLink::listenNoMore);
    }
  }

  private void kill(Target worker, String requestId) {
    if (dying.add(worker)) {
      byRequest.merge(requestId, 1, Integer::sum);
      progress.accept("%s dies of %s".formatted(worker.id(), requestId));
      Thread.ofVirtual().name("victim").start(() -> killAndStart(worker));
    }
  }

  private void killAndStart(Target worker) {
    try {
      pool.kill(worker);
      dying.remove(worker);
      pool.startAgain(worker);
    } catch (IOException e) {
      progress.accept("mishap: %s after its death: %s".formatted(worker.id(), e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** How many workers a request has killed. */
  int of(String requestId) {
    return byRequest.getOrDefault(requestId, 0);
  }
}
