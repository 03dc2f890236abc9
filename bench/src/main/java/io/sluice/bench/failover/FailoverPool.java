package io.sluice.bench.failover;

import io.sluice.bench.torture.pool.Engines;
import io.sluice.bench.torture.pool.IdlePool;
import io.sluice.bench.torture.pool.PoolProcesses;
import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Replicas;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** The pool whose processes fail. Not thread-safe. */
final class FailoverPool implements AutoCloseable {
  /** Two of everything or more, so that each has a replacement. */
  static final PoolSetup SETUP = new PoolSetup(3, 2, 3, 2, Engines.simulated());

  private static final Duration DOWN = Duration.ofSeconds(3);
  private static final Duration FROZEN = Duration.ofSeconds(15);
  private static final Duration IDLE_WITHIN = Duration.ofSeconds(60);

  private final PoolProcesses processes;
  private final IdlePool idle;
  private final Replicas replicas;
  private final Wholeness wholeness;

  /** Prepares the processes, with their data and logs in a folder. */
  FailoverPool(Path folder) throws IOException {
    processes = new PoolProcesses(SETUP, folder);
    idle = new IdlePool(processes, SETUP);
    replicas = new Replicas(kafka());
    wholeness = new Wholeness(processes);
  }

  /** Starts all processes; returns when the pool is ready for requests. */
  void start() throws IOException, InterruptedException {
    processes.start();
  }

  List<URI> gateways() {
    return processes.gateways();
  }

  String kafka() {
    return processes.wiring().kafka();
  }

  static String model() {
    return SETUP.engines().model();
  }

  /**
   * Returns the process that a failure hits: a worker or its engine with most streams, the router
   * with most leases, another broker and gateway in each round.
   *
   * @param workers the id of the worker of each stream
   */
  Target victim(Target.Role role, int round, Collection<String> workers)
      throws IOException, InterruptedException {
    return switch (role) {
      case WORKER, ENGINE -> new Target(role, busiest(workers));
      case ROUTER -> busiestRouter();
      case BROKER -> Target.broker(1 + round % SETUP.brokers());
      case GATEWAY -> Target.gateway(1 + round % SETUP.gateways());
      case REDIS -> Target.redis();
    };
  }

  private static int busiest(Collection<String> workers) {
    return IntStream.rangeClosed(1, SETUP.workers())
        .boxed()
        .max(
            Comparator.comparingInt(one -> Collections.frequency(workers, Target.worker(one).id())))
        .orElseThrow();
  }

  private Target busiestRouter() throws IOException, InterruptedException {
    Target busiest = Target.router(1);
    double most = -1;
    for (int number = 1; number <= SETUP.routers(); number++) {
      double leases = idle.value(Target.router(number), "sluice_router_leases");
      busiest = leases > most ? Target.router(number) : busiest;
      most = Math.max(leases, most);
    }
    return busiest;
  }

  /** Disrupts the victim; returns at once, or when it has ended. */
  void hit(Failure.Disruption disruption, Target victim) throws IOException, InterruptedException {
    switch (disruption) {
      case NOTHING -> {}
      case KILL -> processes.kill(victim);
      case FREEZE -> processes.freeze(victim);
      case RESTART -> {
        if (!processes.terminate(victim)) {
          throw new IOException(victim.id() + " did not stop within 45 s of SIGTERM");
        }
      }
    }
  }

  /** Lets the victim work again, after some seconds if it was not stopped in good order. */
  void recover(Failure.Disruption disruption, Target victim)
      throws IOException, InterruptedException {
    switch (disruption) {
      case NOTHING -> {}
      case KILL -> {
        Thread.sleep(DOWN);
        processes.startAgain(victim);
      }
      case FREEZE -> {
        Thread.sleep(FROZEN);
        processes.thaw(victim);
      }
      case RESTART -> processes.startAgain(victim);
    }
  }

  /** Waits until all processes serve, and every router uses all workers. */
  void awaitWhole(Target victim) throws IOException, InterruptedException {
    wholeness.await();
    if (victim.role() == Target.Role.BROKER) {
      try {
        replicas.awaitInSync();
      } catch (TimeoutException e) {
        throw new IOException(e);
      }
    }
  }

  /**
   * Waits until nothing runs or waits anywhere, and spreads the leaders of partitions. Otherwise
   * Kafka would do that under the streams of a later failure.
   */
  void settle() throws IOException, InterruptedException {
    List<String> held = idle.await(IDLE_WITHIN);
    if (!held.isEmpty()) {
      throw new IOException(
          "the pool is not idle after %d s: %s".formatted(IDLE_WITHIN.toSeconds(), held));
    }
    try {
      replicas.lead();
    } catch (TimeoutException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    replicas.close();
    processes.close();
  }
}
