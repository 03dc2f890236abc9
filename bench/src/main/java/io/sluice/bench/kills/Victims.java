package io.sluice.bench.kills;

import io.sluice.bench.torture.pool.IdlePool;
import io.sluice.bench.torture.pool.PoolProcesses;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Finds the processes that have the most to lose, and waits until none has anything. */
final class Victims {
  private static final Duration IDLE_WITHIN = Duration.ofSeconds(60);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

  private static final String ENGINE_RUNNING = "vllm:num_requests_running";

  private final PoolProcesses pool;
  private final IdlePool idle;

  Victims(PoolProcesses pool) {
    this.pool = pool;
    this.idle = new IdlePool(pool, KillsCommand.SETUP);
  }

  /** Returns the process of a role that has the most requests. The first gateway has half. */
  Target busiest(Target.Role role) throws IOException, InterruptedException {
    Target first = new Target(role, 1);
    Target second = new Target(role, 2);
    if (role == Target.Role.GATEWAY) {
      return first;
    }
    return requests(second) > requests(first) ? second : first;
  }

  private double requests(Target target) throws IOException, InterruptedException {
    return switch (target.role()) {
      case ENGINE, WORKER -> idle.value(Target.engine(target.number()), ENGINE_RUNNING);
      case ROUTER -> idle.value(target, "sluice_router_leases");
      case BROKER, REDIS, GATEWAY -> 0;
    };
  }

  /** Waits until nothing runs or waits anywhere, and all processes serve again. */
  void awaitIdle() throws IOException, InterruptedException {
    List<String> held = idle.await(IDLE_WITHIN);
    if (!held.isEmpty()) {
      throw new IOException("the pool is not idle: " + held);
    }
  }

  /** Something that is asked of the pool. */
  interface Condition {
    boolean isMet() throws IOException, InterruptedException;
  }

  /** Waits for a condition; looks more often than {@link #awaitIdle}. */
  void awaitUntil(Condition condition) throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    while (!condition.isMet()) {
      if (System.nanoTime() - startNanos > IDLE_WITHIN.toNanos()) {
        throw new IOException("the pool is not as expected after " + IDLE_WITHIN);
      }
      Thread.sleep(LOOK_AGAIN);
    }
  }

  /** Returns how many requests wait at the routers. */
  double waiting() throws IOException, InterruptedException {
    return sum(Target.Role.ROUTER, "sluice_router_pending");
  }

  /** Returns how many requests the engines run. */
  double running() throws IOException, InterruptedException {
    return sum(Target.Role.ENGINE, ENGINE_RUNNING);
  }

  /** Returns how many tokens the engines have generated since they started. */
  double generatedTokens() throws IOException, InterruptedException {
    return sum(Target.Role.ENGINE, "vllm:generation_tokens_total");
  }

  private double sum(Target.Role role, String metric) throws IOException, InterruptedException {
    return idle.value(new Target(role, 1), metric) + idle.value(new Target(role, 2), metric);
  }

  /** Replaces the faults of all engines. */
  void faults(String json) throws IOException, InterruptedException {
    for (int number = 1; number <= KillsCommand.SETUP.workers(); number++) {
      pool.control(Target.engine(number), "PUT", "/faults", json);
    }
  }
}
