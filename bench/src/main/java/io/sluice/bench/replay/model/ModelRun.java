package io.sluice.bench.replay.model;

import io.sluice.bench.fleet.compare.Contestant;
import io.sluice.bench.fleet.run.FleetRun;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.sluice.FrontSettings;
import io.sluice.bench.fleet.sluice.SluiceFront;
import io.sluice.router.policy.RoutingPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

/** Replays recorded requests in virtual time. */
public final class ModelRun {
  /** How long the last requests have. Bulk may be left over then. */
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private ModelRun() {}

  /**
   * Checks that the policy of a scenario exists and can serve the requests.
   *
   * @throws IllegalArgumentException if not; the message says what to change
   */
  public static void check(ReplayRequests requests, Scenario scenario) {
    Setup setup = scenario.setup();
    if (setup.isSluice()) {
      return;
    }
    if (setup.policy().startsWith(Setup.SLUICE)) {
      throw new IllegalArgumentException(
          "the policy %s of the benchmarks has settings of its own: take %s, with --weights and --max-wait"
              .formatted(setup.policy(), Setup.SLUICE));
    }
    var _ = Contestant.named(setup.policy());
    if (!scenario.fleet().isUniform(requests.recorded())) {
      throw new IllegalArgumentException(
          "the policy %s takes all workers for equal, but those of this fleet have different models, or no room for some of the prompts: name other engines with --profile"
              .formatted(setup.policy()));
    }
  }

  /** Makes as many runs of each scenario, one per core at a time, in the order of the scenarios. */
  public static List<List<Replayed>> all(
      ReplayRequests requests, List<Scenario> scenarios, int seeds) throws InterruptedException {
    int cores = Runtime.getRuntime().availableProcessors();
    try (ExecutorService runs = Executors.newFixedThreadPool(cores)) {
      List<List<Future<Replayed>>> started =
          scenarios.stream()
              .map(
                  scenario ->
                      LongStream.range(0, seeds)
                          .mapToObj(seed -> runs.submit(() -> one(requests, scenario, seed)))
                          .toList())
              .toList();
      List<List<Replayed>> results = new ArrayList<>();
      for (List<Future<Replayed>> futures : started) {
        List<Replayed> ofScenario = new ArrayList<>();
        for (Future<Replayed> future : futures) {
          ofScenario.add(result(future));
        }
        results.add(ofScenario);
      }
      return results;
    }
  }

  private static Replayed result(Future<Replayed> run) throws InterruptedException {
    try {
      return run.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a run failed: " + e.getCause(), e.getCause());
    }
  }

  /** Makes one run. Equal arguments give equal results. */
  static Replayed one(ReplayRequests requests, Scenario scenario, long seed) {
    ModelFleet fleet = scenario.fleet();
    FleetRun run = new FleetRun(requests.requests(), fleet.kinds(), fleet.engines(), seed);
    var replayed = new Replayed(run, requests.requests());
    FleetRun.Front front =
        scenario.setup().isSluice()
            ? new SluiceFront(run, Mix.of(seed, 7), settings(requests, scenario, replayed))
            : Contestant.named(scenario.setup().policy()).front(run, seed);
    Duration most = requests.length().plus(PATIENCE);
    run.runToEnd(replayed.behind(front), Duration.ZERO, most, () -> {});
    return replayed;
  }

  private static FrontSettings settings(
      ReplayRequests requests, Scenario scenario, Replayed replayed) {
    return FrontSettings.waiting(scenario.setup().maxWait())
        .withPolicy(RoutingPolicy.of(scenario.setup().weights()))
        .withRequests(requests)
        .withRoles(scenario.fleet().roles())
        .withListener(replayed);
  }
}
