package io.sluice.bench.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Has an engine bear more than usual, with all its processes well: many requests, or a client that
 * does not read. What its clients see is noted.
 */
final class LoadTrial {
  private static final Duration ANSWERED_WITHIN = Duration.ofMinutes(5);
  private static final Duration HEALTH_WITHIN = Duration.ofSeconds(10);
  private static final int CROWD = 500;
  private static final int SHORT = 4;

  /** Few prompts fill the cache, and more than it holds as they grow. */
  private static final int PROMPT_TOKENS = 1_300;

  private static final int GROWTH_TOKENS = 400;
  private static final double OVERFILLED = 1.5;

  private static final int NEIGHBOURS = 3;
  private static final int LONG = 1_500;
  private static final Duration NOT_READ = Duration.ofSeconds(5);
  private static final Duration UNDER_WAY_WITHIN = Duration.ofSeconds(60);
  private static final int UNDER_WAY_FRAMES = 5;

  /** The time in which a reader that was slow reads what was held back. */
  private static final Duration CAUGHT_UP_WITHIN = Duration.ofSeconds(2);

  /** The share of its neighbours' tokens that it must have by then. */
  private static final double CAUGHT_UP = 0.8;

  private static final String PREEMPTIONS = "vllm:num_preemptions_total";

  private final Subject engine;
  private final String model;
  private final Sightings sightings;
  private final List<RawExchange> all = new ArrayList<>();

  /**
   * A trial of an engine that does not run yet.
   *
   * @param sightings takes what is seen
   */
  LoadTrial(Subject engine, String model, Sightings sightings) {
    this.engine = engine;
    this.model = model;
    this.sightings = sightings;
  }

  /**
   * Runs it; the engine is gone in the end.
   *
   * @throws IOException if the engine does not start
   * @throws KvCapacity.UnfitException if its cache is to be filled and is too large for that
   */
  void run(Fault fault) throws IOException, InterruptedException, KvCapacity.UnfitException {
    try {
      engine.start();
      switch (fault) {
        case OUT_OF_BLOCKS -> fillCache();
        case CROWD -> crowd();
        case SLOW_READER -> readSlowly();
        default -> throw new IllegalArgumentException(fault + " does not put load on an engine");
      }
    } finally {
      all.forEach(RawExchange::close);
      engine.end();
    }
  }

  private void fillCache() throws IOException, InterruptedException, KvCapacity.UnfitException {
    long capacity = KvCapacity.tokensOf(engine.metrics());
    int count = (int) Math.ceil(OVERFILLED * capacity / PROMPT_TOKENS);
    double before = engine.metrics().sum(PREEMPTIONS);
    for (int n = 0; n < count; n++) {
      ask(Completion.longBody(model, n, PROMPT_TOKENS, GROWTH_TOKENS));
    }
    seeAnswers();
    boolean isSome = engine.metrics().sum(PREEMPTIONS) > before;
    sightings.add(Aspect.PREEMPTIONS, new Sighting(isSome ? "some" : "none", Duration.ZERO));
  }

  private void crowd() throws InterruptedException {
    for (int n = 0; n < CROWD; n++) {
      ask(Completion.body(model, n, SHORT, false));
    }
    seeAnswers();
  }

  private void readSlowly() throws IOException, InterruptedException {
    for (int n = 0; n < NEIGHBOURS; n++) {
      ask(Completion.body(model, n, LONG, true));
    }
    RawExchange slow =
        RawExchange.withSmallBuffer(
            engine.port(), Completion.PATH, Completion.body(model, NEIGHBOURS, LONG, true));
    all.add(slow);
    if (!isSoon(
        () -> all.stream().allMatch(stream -> stream.frames() >= UNDER_WAY_FRAMES),
        UNDER_WAY_WITHIN)) {
      throw new IOException("the engine's streams did not begin; does it serve that model?");
    }
    slow.pause(true);
    long pausedNanos = System.nanoTime();
    seeHealth();
    int before = neighbours();
    TimeUnit.NANOSECONDS.sleep(pausedNanos + NOT_READ.toNanos() - System.nanoTime());
    boolean isGoingOn = neighbours() > before + UNDER_WAY_FRAMES;
    sightings.add(
        Aspect.NEIGHBOURS, new Sighting(isGoingOn ? "continue" : "stand still", Duration.ZERO));
    slow.pause(false);
    boolean isCaughtUp = isSoon(() -> slow.frames() >= CAUGHT_UP * neighbours(), CAUGHT_UP_WITHIN);
    boolean isCut = slow.isOver() && slow.frames() < LONG;
    String seen = isCaughtUp ? "has all tokens that were made meanwhile" : "is behind";
    sightings.add(Aspect.SLOW_READER, new Sighting(isCut ? "cut" : seen, Duration.ZERO));
  }

  private int neighbours() {
    return all.stream().limit(NEIGHBOURS).mapToInt(RawExchange::frames).min().orElse(0);
  }

  private void ask(String body) {
    all.add(new RawExchange(engine.port(), Completion.PATH, body));
  }

  private void seeAnswers() throws InterruptedException {
    long beganNanos = System.nanoTime();
    seeHealth();
    for (RawExchange answer : List.copyOf(all)) {
      Duration left = ANSWERED_WITHIN.minusNanos(System.nanoTime() - beganNanos);
      sightings.add(
          Aspect.ANSWERS, answer.await(left.isPositive() ? left : Duration.ofMillis(1), 0));
    }
  }

  private void seeHealth() throws InterruptedException {
    try (var health = new RawExchange(engine.port(), "/health", "")) {
      sightings.add(Aspect.HEALTH, health.await(HEALTH_WITHIN, 0));
    }
  }

  private static boolean isSoon(BooleanSupplier condition, Duration atMost)
      throws InterruptedException {
    long beganNanos = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - beganNanos > atMost.toNanos()) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    return true;
  }
}
