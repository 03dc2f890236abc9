package io.sluice.bench.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Injects a fault into an engine that is answering, and observes it as a client does. */
final class Trial {
  private static final int STREAMS = 3;
  private static final int LONG = 1_500;
  private static final int UNDER_WAY_FRAMES = 5;
  private static final Duration UNDER_WAY_WITHIN = Duration.ofSeconds(60);
  private static final Duration SOON = Duration.ofMillis(300);
  private static final Duration HEALTH_SOON = Duration.ofMillis(500);
  private static final Duration THAW = Duration.ofSeconds(3);
  private static final Duration LATER = Duration.ofSeconds(6);
  private static final Duration OVER = Duration.ofSeconds(8);

  private final Subject engine;
  private final String model;
  private final Fault fault;
  private final Sightings sightings;
  private long faultNanos;

  /**
   * A trial with an engine that does not run yet.
   *
   * @param sightings collects the observations
   */
  Trial(Subject engine, String model, Fault fault, Sightings sightings) {
    this.engine = engine;
    this.model = model;
    this.fault = fault;
    this.sightings = sightings;
  }

  /**
   * Runs the trial and stops the engine.
   *
   * @throws IOException if the engine does not start, or if its answers do not begin or end before
   *     the fault
   */
  void run() throws IOException, InterruptedException {
    List<RawExchange> all = new ArrayList<>();
    List<PortWatch> watches = new ArrayList<>();
    try {
      engine.start();
      for (int n = 0; n < STREAMS; n++) {
        all.add(ask(n, LONG, true));
      }
      awaitUnderWay(all);
      all.add(ask(STREAMS, LONG, false));
      TimeUnit.NANOSECONDS.sleep(SOON.toNanos());
      checkUnderWay(all);

      faultNanos = System.nanoTime();
      engine.deal(fault);
      PortWatch port = new PortWatch(engine.port());
      watches.add(port);
      RawExchange soon = later(SOON, () -> ask(10, 2, false), all);
      RawExchange healthSoon = later(HEALTH_SOON, this::health, all);
      awaitSince(THAW);
      engine.undo(fault);
      RawExchange later = later(LATER, () -> ask(11, 2, false), all);
      RawExchange healthLater = later(LATER, this::health, all);
      awaitSince(OVER);

      for (RawExchange stream : all.subList(0, STREAMS)) {
        see(Aspect.STREAMS, stream);
      }
      see(Aspect.WHOLE, all.get(STREAMS));
      see(Aspect.SOON, soon);
      see(Aspect.HEALTH_SOON, healthSoon);
      see(Aspect.LATER, later);
      see(Aspect.HEALTH_LATER, healthLater);
      sightings.add(Aspect.PORT, port.seen());
      sightings.add(
          Aspect.PROCESS, new Sighting(engine.isAlive() ? "runs" : "has ended", Duration.ZERO));
    } finally {
      watches.forEach(PortWatch::close);
      all.forEach(RawExchange::close);
      engine.end();
    }
  }

  private interface Ask {
    RawExchange send();
  }

  private RawExchange later(Duration after, Ask ask, List<RawExchange> all)
      throws InterruptedException {
    awaitSince(after);
    RawExchange exchange = ask.send();
    all.add(exchange);
    return exchange;
  }

  private void awaitSince(Duration after) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(faultNanos + after.toNanos() - System.nanoTime());
  }

  private void see(Aspect aspect, RawExchange exchange) throws InterruptedException {
    sightings.add(aspect, exchange.await(Duration.ofMillis(1), faultNanos));
  }

  private static void awaitUnderWay(List<RawExchange> streams)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + UNDER_WAY_WITHIN.toNanos();
    while (streams.stream().anyMatch(stream -> stream.frames() < UNDER_WAY_FRAMES)) {
      if (System.nanoTime() - end > 0) {
        throw new IOException(
            "the engine's streams did not begin within %d s; does it serve that model?"
                .formatted(UNDER_WAY_WITHIN.toSeconds()));
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private static void checkUnderWay(List<RawExchange> answers) throws IOException {
    if (answers.stream().anyMatch(RawExchange::isOver)) {
      throw new IOException(
          "an answer of %d tokens was over before anything could happen to the engine; serve a slower model, of less than %d tokens/s for each of %d answers"
              .formatted(LONG, LONG / OVER.toSeconds(), STREAMS + 1));
    }
  }

  private RawExchange health() {
    return new RawExchange(engine.port(), "/health", "");
  }

  private RawExchange ask(int number, int tokens, boolean isStreamed) {
    return new RawExchange(
        engine.port(), Completion.PATH, Completion.body(model, number, tokens, isStreamed));
  }
}
