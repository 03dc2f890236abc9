package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.pool.Engines;
import io.sluice.bench.torture.pool.LinkState;
import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What the adversary is going to do, and when: equal seeds give equal schedules. */
public final class Schedule {
  private static final List<String> FAULTS =
      List.of(
          "stall-after=20@0.5",
          "cut-after=15@0.7",
          "cut-in-frame-after=15@0.7",
          "garble-after=10@0.7",
          "error-after=12@0.7",
          "no-done@0.7",
          "reset@0.5",
          "hang-before-first-token@0.3",
          "status=500@0.5",
          "status=503@0.5",
          "slow=3@0.5");

  /** A blow, so long after the begin. */
  public record Event(Duration at, Blow blow) {}

  private final Odds odds;
  private final Engines engines;
  private final Rushes rushes;
  private final Set<Target.Role> skewable;

  private Schedule(Odds odds, Engines engines, Set<Target.Role> skewable) {
    this.odds = odds;
    this.engines = engines;
    this.rushes = new Rushes(odds);
    this.skewable = skewable;
  }

  /**
   * Blows of all wanted kinds in a random order, every kind again when all have been dealt.
   *
   * @param every the mean time between two
   * @param skewable whose clocks can be skewed here
   * @param isWanted by its label
   * @throws IllegalArgumentException if no blow is wanted
   */
  public static List<Event> of(
      long seed,
      PoolSetup setup,
      Duration length,
      Duration every,
      Set<Target.Role> skewable,
      Predicate<String> isWanted) {
    var odds = new Odds(setup, seed);
    var schedule = new Schedule(odds, setup.engines(), skewable);
    Queue<Blow> deck = new ArrayDeque<>();
    List<Event> events = new ArrayList<>();
    long atMillis = every.toMillis() / 2;
    while (atMillis < length.toMillis()) {
      if (deck.isEmpty()) {
        deck.addAll(schedule.deal(isWanted));
      }
      events.add(new Event(Duration.ofMillis(atMillis), deck.remove()));
      atMillis += odds.between(every.toMillis() / 2, every.toMillis() * 3 / 2);
    }
    return events;
  }

  private List<Blow> deal(Predicate<String> isWanted) {
    List<Blow> blows = new ArrayList<>();
    deaths(blows);
    pauses(blows);
    networks(blows);
    engines(blows);
    clocks(blows);
    callers(blows);
    String all = blows.stream().map(Blow::label).distinct().collect(Collectors.joining(", "));
    blows.removeIf(blow -> !isWanted.test(blow.label()));
    if (blows.isEmpty()) {
      throw new IllegalArgumentException("no such blow; there are: " + all);
    }
    Collections.shuffle(blows, odds.random());
    return blows;
  }

  private void deaths(List<Blow> blows) {
    for (int n = 0; n < 3; n++) {
      blows.add(kill(odds.worker()));
    }
    blows.add(kill(odds.worker(), odds.router()));
    blows.add(kill(odds.router()));
    blows.add(kill(odds.engine()));
    blows.add(kill(odds.engine()));
    blows.add(kill(odds.broker()));
    blows.add(kill(Target.redis()));
    blows.add(new Restart(odds.worker()));
    blows.add(new Restart(odds.router()));
    blows.add(new Restart(odds.broker()));
    blows.add(new Restart(odds.engine()));
    blows.add(rushes.poison(Target.Role.WORKER));
    blows.add(rushes.poison(Target.Role.ENGINE));
  }

  private void pauses(List<Blow> blows) {
    blows.add(freeze(odds.worker()));
    blows.add(freeze(odds.worker()));
    blows.add(freeze(odds.router()));
    blows.add(freeze(odds.engine()));
    blows.add(freeze(odds.broker()));
    blows.add(freeze(Target.redis()));
    // Longer than the 6 s after which the other router has its part.
    blows.add(new Freeze(odds.router(), odds.seconds(8, 20), true));
  }

  private void networks(List<Blow> blows) {
    for (Target.Role from : List.of(Target.Role.BROKER, Target.Role.REDIS, Target.Role.ENGINE)) {
      blows.add(partition(odds.worker(), from));
    }
    blows.add(partition(odds.router(), Target.Role.BROKER));
    blows.add(partition(odds.router(), Target.Role.REDIS));
  }

  private void engines(List<Blow> blows) {
    if (!engines.areSimulated()) {
      for (EngineKill.Part part : EngineKill.Part.values()) {
        blows.add(new EngineKill(odds.engine(), part));
      }
      return;
    }
    for (String how : List.of("oom", "die")) {
      blows.add(new EngineDeath(odds.engine(), how, odds.seconds(0, 5)));
    }
    for (String fault : FAULTS) {
      blows.add(new EngineFault(odds.engine(), fault, odds.seconds(3, 8)));
    }
  }

  private void clocks(List<Blow> blows) {
    for (Target target : List.of(odds.broker(), odds.router(), odds.worker())) {
      Duration offset = odds.skew();
      Duration lasting = odds.seconds(8, 25);
      if (skewable.contains(target.role())) {
        blows.add(new ClockSkew(target, offset, lasting));
      }
    }
  }

  private void callers(List<Blow> blows) {
    blows.add(rushes.topicLoss());
    blows.add(rushes.topicThinning());
    blows.add(rushes.hostility());
    blows.add(rushes.bulk());
    blows.add(rushes.repeats());
    blows.add(rushes.large());
  }

  private Blow kill(Target... targets) {
    return new Kill(List.of(targets), odds.seconds(1, 5));
  }

  private Blow freeze(Target target) {
    return new Freeze(target, odds.seconds(1, 15), false);
  }

  private Blow partition(Target target, Target.Role from) {
    LinkState how = odds.random().nextBoolean() ? LinkState.CUT : LinkState.STALLED;
    return new Partition(target, from, how, odds.seconds(1, 12));
  }
}
