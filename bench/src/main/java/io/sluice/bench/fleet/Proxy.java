package io.sluice.bench.fleet;

/**
 * A proxy with a {@link Balancer}. It forwards every request to an engine as soon as it arrives.
 */
final class Proxy implements FleetRun.Front {
  private final FleetRun run;
  private final Balancer balancer;

  Proxy(FleetRun run, Balancer balancer) {
    this.run = run;
    this.balancer = balancer;
    if (balancer.scrapeNanos() > 0) {
      run.time().every(0, balancer.scrapeNanos(), this::scrape);
    }
  }

  @Override
  public void send(FleetRequest request) {
    after(
        () -> {
          EngineNode engine = run.engines().get(balancer.pick(request));
          after(() -> engine.submit(request));
        });
  }

  @Override
  public void started(int engine, int request, int cachedTokens) {}

  @Override
  public void finished(int engine, int request) {
    after(() -> balancer.answered(engine));
  }

  @Override
  public void givenUp(int request) {
    after(() -> run.engines().forEach(engine -> engine.abort(request)));
  }

  private void scrape() {
    for (int i = 0; i < run.engines().size(); i++) {
      balancer.scraped(i, run.engines().get(i).stats());
    }
  }

  private void after(Runnable arrival) {
    run.time().at(run.time().nowNanos() + run.network().latencyNanos(), arrival);
  }
}
