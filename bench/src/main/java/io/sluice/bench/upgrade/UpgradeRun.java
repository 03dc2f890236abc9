package io.sluice.bench.upgrade;

import io.sluice.bench.gateway.Gateways;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * Replaces the services of a pool one after the other, from an old build to a new one and back.
 *
 * @param perSecond streams per second
 * @param seconds how long the load of each step lasts at least
 */
record UpgradeRun(Build old, Build current, double perSecond, int seconds) {

  /** What is done under load: nothing, or a service gets a build. */
  private record Step(String what, List<Member> replaced, Build build) {}

  /**
   * Runs all steps.
   *
   * @param folder for data and logs
   * @throws IOException if a service does not stop or start, or a batch has no results
   */
  UpgradeReport run(Path folder, Consumer<String> progress)
      throws IOException, InterruptedException {
    try (var pool = new UpgradePool(folder)) {
      progress.accept("starting a pool of the build " + old.name());
      pool.start(old);
      List<Step> steps = steps(pool);
      try (var gateways = new Gateways(pool.gateways());
          var load = new UpgradeLoad(gateways, pool.kafka())) {
        for (int number = 0; number < steps.size(); number++) {
          progress.accept(steps.get(number).what());
          run(number, steps.get(number), load);
        }
        progress.accept("waiting for the last answers");
        return UpgradeReport.of(steps.stream().map(Step::what).toList(), load.replies());
      }
    }
  }

  private List<Step> steps(UpgradePool pool) {
    List<Step> steps = new ArrayList<>();
    steps.add(new Step("all " + old.name(), List.of(), old));
    for (Build next : List.of(current, old)) {
      for (Member member : pool.members()) {
        String what = member.name() + " to " + next.name();
        steps.add(new Step(what, List.of(member), next));
      }
      steps.add(new Step("all " + next.name(), List.of(), next));
    }
    return steps;
  }

  /** The load continues until the service is ready again. */
  private void run(int number, Step step, UpgradeLoad load)
      throws IOException, InterruptedException {
    CompletableFuture<Void> replacement =
        CompletableFuture.runAsync(
            () -> {
              try {
                for (Member member : step.replaced()) {
                  member.replace(step.build());
                }
              } catch (IOException | InterruptedException e) {
                throw new CompletionException(e);
              }
            });
    int count = (int) Math.round(perSecond * seconds);
    load.begin(number, perSecond, count);
    while (!replacement.isDone()) {
      load.more(number, perSecond, (int) Math.ceil(perSecond));
    }
    try {
      replacement.join();
    } catch (CompletionException e) {
      throw new IOException(e.getCause());
    }
  }
}
