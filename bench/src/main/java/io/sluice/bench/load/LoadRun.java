package io.sluice.bench.load;

import io.sluice.bench.traffic.Calls;
import io.sluice.bench.traffic.OpenLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Sends the same requests to each server in turn. */
final class LoadRun {
  private final Plan.Shape shape;
  private final Duration warmUp;
  private final Duration measured;
  private final Objectives objectives;
  private final Consumer<String> progress;

  /**
   * Prepares a run.
   *
   * @param warmUp how long each turn sends before it measures
   * @param measured how long each turn sends after that
   */
  LoadRun(
      Plan.Shape shape,
      Duration warmUp,
      Duration measured,
      Objectives objectives,
      Consumer<String> progress) {
    this.shape = shape;
    this.warmUp = warmUp;
    this.measured = measured;
    this.objectives = objectives;
    this.progress = progress;
  }

  /** Returns the turns of each server, by its name. Each round has requests of its own. */
  Map<String, List<Turn>> turns(List<Server> servers, double perSecond, int rounds)
      throws IOException, InterruptedException {
    Map<String, List<Turn>> turns = new LinkedHashMap<>();
    for (int round = 1; round <= rounds; round++) {
      Plan plan = Plan.of(shape, perSecond, warmUp, measured, round);
      for (Server server : servers) {
        progress.accept(
            "%.1f requests per second, round %d of %d: %s"
                .formatted(perSecond, round, rounds, server.name()));
        turns.computeIfAbsent(server.name(), any -> new ArrayList<>()).add(turn(server, plan));
      }
    }
    return turns;
  }

  private Turn turn(Server server, Plan plan) throws IOException, InterruptedException {
    List<Future<Outcome>> calls = new ArrayList<>();
    // Closing waits for the calls of the warm-up too.
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      Iterator<Plan.Planned> requests = plan.requests().iterator();
      OpenLoop.at(
          plan.requests().stream().mapToLong(Plan.Planned::dueNanos).toArray(),
          due -> {
            Plan.Planned request = requests.next();
            Future<Outcome> call = callers.submit(() -> server.call(request, due));
            if (request.isMeasured()) {
              calls.add(call);
            }
          });
      return new Turn(Calls.results(calls), measured.toMillis() / 1e3, objectives);
    }
  }
}
