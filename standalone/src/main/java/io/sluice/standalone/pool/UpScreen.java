package io.sluice.standalone.pool;

import io.sluice.fleet.redis.RedisConnection;
import io.sluice.worker.app.Worker;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What {@code up} prints about its pool. */
final class UpScreen {
  private final LocalPool pool;
  private final PrintWriter out;

  UpScreen(LocalPool pool, PrintWriter out) {
    this.pool = pool;
    this.out = out;
  }

  /** Prints where everything is, and what can be done next. */
  void print(Duration took) {
    out.printf(Locale.ROOT, "Sluice is up after %.1f s.%n%n", took.toMillis() / 1000.0);
    out.printf("  Kafka      %s%n", pool.kafka());
    out.printf("  Redis      %s%n", RedisConnection.shown(pool.redis()));
    out.printf("  gateway    %s/v1%n", pool.gatewayUrl());
    out.printf("  router     http://127.0.0.1:%s/health%n", pool.routerPort());
    for (int i = 0; i < pool.workers().size(); i++) {
      Worker worker = pool.workers().get(i);
      out.printf(
          "  worker     http://127.0.0.1:%s/health  %s%s%n",
          worker.httpPort(), worker.id(), served(worker, pool.plan().workers().get(i)));
    }
    out.printf(
        "  data       %s%n",
        pool.plan()
            .dataDirectory()
            .map(directory -> directory.toAbsolutePath().toString())
            .orElse("temporary: nothing is kept when the pool stops"));
    String ask = modelOption();
    out.println();
    out.println("Try, in another terminal:");
    out.printf("  ./sluice chat %s\"Why is the sky blue?\"%n", ask);
    out.printf("  ./sluice batch %sexamples/prompts.jsonl -o out.jsonl%n", ask);
    out.println();
    pool.remote().ifPresent(this::printJoin);
    out.println("Ctrl-C stops it.");
    out.flush();
  }

  private void printJoin(RemoteAccess remote) {
    out.println("Another machine with an engine joins with");
    out.printf("  scp -r %s:%s .%n", remote.host(), remote.directory());
    out.printf(
        "  ./sluice worker --id $(hostname) --engine-url http://127.0.0.1:8000 %s%n",
        String.join(" ", pool.joinArguments("access")));
    out.println("On this machine, commands that use Redis need");
    out.printf("  export SLUICE_REDIS_PASSWORD_FILE=%s%n", remote.passwordFile());
    out.println();
  }

  /** Returns the models that a real engine serves, or that it has not responded yet. */
  private static String served(Worker worker, WorkerPlan plan) {
    return switch (plan.engine()) {
      case WorkerPlan.Engine.Simulated simulated -> "";
      case WorkerPlan.Engine.External external ->
          worker.models().isEmpty()
              ? "  waits for " + external.url() + " to answer"
              : "  serves " + String.join(", ", worker.models());
    };
  }

  /** Returns the option that clients need if the pool does not serve the simulators' model. */
  private String modelOption() {
    List<WorkerPlan.Engine> engines =
        pool.plan().workers().stream().map(WorkerPlan::engine).toList();
    if (!(engines.getFirst() instanceof WorkerPlan.Engine.External external)) {
      return "";
    }
    String name =
        pool.workers().stream()
            .flatMap(worker -> worker.models().stream())
            .findFirst()
            .or(external::model)
            .orElse("NAME");
    return name.equals(PoolPlan.MODEL) ? "" : "--model " + name + " ";
  }
}
