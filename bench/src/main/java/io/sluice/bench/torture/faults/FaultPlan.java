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

/** Which faults are injected, and when. Equal seeds give equal plans. */
public final class FaultPlan {
  private static final List<String> FAULTS =
      List.of(
          "stall-after=20@0.5",
          "cut-after=15@0.7",
          "cut-in-frame-after=15@0.7",
          "garble-after=10@0.7",
          "error-after=12@0.7",
          "no-done@0.7",
          "reset@0.5",
          EngineFault.HANG + "@0.3",
          "status=500@0.5",
          "status=503@0.5",
          "slow=3@0.5");

  /** A fault, and the time from the start of the run at which it is injected. */
  public record Entry(Duration at, Fault fault) {}

  private final SeededChoices choices;
  private final Engines engines;
  private final CallerFaults callerFaults;
  private final Set<Target.Role> skewable;

  private FaultPlan(SeededChoices choices, Engines engines, Set<Target.Role> skewable) {
    this.choices = choices;
    this.engines = engines;
    this.callerFaults = new CallerFaults(choices);
    this.skewable = skewable;
  }

  /**
   * Plans faults of all wanted kinds in random order; a kind is repeated only after all kinds came
   * up.
   *
   * @param every the mean time between two faults
   * @param skewable the roles of processes whose clocks can be skewed on this machine
   * @param isWanted whether faults with a label are wanted
   * @throws IllegalArgumentException if no fault is wanted
   */
  public static List<Entry> of(
      long seed,
      PoolSetup setup,
      Duration length,
      Duration every,
      Set<Target.Role> skewable,
      Predicate<String> isWanted) {
    var choices = new SeededChoices(setup, seed);
    var schedule = new FaultPlan(choices, setup.engines(), skewable);
    Queue<Fault> deck = new ArrayDeque<>();
    List<Entry> entries = new ArrayList<>();
    long atMillis = every.toMillis() / 2;
    while (atMillis < length.toMillis()) {
      if (deck.isEmpty()) {
        deck.addAll(schedule.deal(isWanted));
      }
      entries.add(new Entry(Duration.ofMillis(atMillis), deck.remove()));
      atMillis += choices.between(every.toMillis() / 2, every.toMillis() * 3 / 2);
    }
    return entries;
  }

  private List<Fault> deal(Predicate<String> isWanted) {
    List<Fault> faults = new ArrayList<>();
    deaths(faults);
    pauses(faults);
    networks(faults);
    engines(faults);
    clocks(faults);
    callers(faults);
    if (choices.hasGateways()) {
      gateways(faults);
    }
    String all = faults.stream().map(Fault::label).distinct().collect(Collectors.joining(", "));
    faults.removeIf(fault -> !isWanted.test(fault.label()));
    if (faults.isEmpty()) {
      throw new IllegalArgumentException("no fault has such a name; the names are: " + all);
    }
    Collections.shuffle(faults, choices.random());
    return faults;
  }

  private void deaths(List<Fault> faults) {
    for (int n = 0; n < 3; n++) {
      faults.add(kill(choices.worker()));
    }
    faults.add(kill(choices.worker(), choices.router()));
    faults.add(kill(choices.router()));
    faults.add(kill(choices.engine()));
    faults.add(kill(choices.engine()));
    faults.add(kill(choices.broker()));
    faults.add(kill(Target.redis()));
    faults.add(new Restart(choices.worker()));
    faults.add(new Restart(choices.router()));
    faults.add(new Restart(choices.broker()));
    faults.add(new Restart(choices.engine()));
    faults.add(callerFaults.poison(Target.Role.WORKER));
    faults.add(callerFaults.poison(Target.Role.ENGINE));
  }

  private void pauses(List<Fault> faults) {
    faults.add(freeze(choices.worker()));
    faults.add(freeze(choices.worker()));
    faults.add(freeze(choices.router()));
    faults.add(freeze(choices.engine()));
    faults.add(freeze(choices.broker()));
    faults.add(freeze(Target.redis()));
    // Longer than the 6 s after which the other router takes the partitions over.
    faults.add(new Freeze(choices.router(), choices.seconds(8, 20), true));
  }

  private void networks(List<Fault> faults) {
    for (Target.Role from : List.of(Target.Role.BROKER, Target.Role.REDIS, Target.Role.ENGINE)) {
      faults.add(partition(choices.worker(), from));
    }
    faults.add(partition(choices.router(), Target.Role.BROKER));
    faults.add(partition(choices.router(), Target.Role.REDIS));
  }

  private void engines(List<Fault> faults) {
    if (!engines.areSimulated()) {
      for (EngineKill.Part part : EngineKill.Part.values()) {
        faults.add(new EngineKill(choices.engine(), part));
      }
      return;
    }
    for (String how : List.of("oom", "die")) {
      faults.add(new EngineDeath(choices.engine(), how, choices.seconds(0, 5)));
    }
    for (String fault : FAULTS) {
      faults.add(new EngineFault(choices.engine(), fault, choices.seconds(3, 8)));
    }
  }

  private void clocks(List<Fault> faults) {
    for (Target target : List.of(choices.broker(), choices.router(), choices.worker())) {
      Duration offset = choices.skew();
      Duration duration = choices.seconds(8, 25);
      if (skewable.contains(target.role())) {
        faults.add(new ClockSkew(target, offset, duration));
      }
    }
  }

  private void callers(List<Fault> faults) {
    faults.add(callerFaults.topicLoss());
    faults.add(callerFaults.topicThinning());
    faults.add(callerFaults.hostility());
    faults.add(callerFaults.bulk());
    faults.add(callerFaults.repeats());
    faults.add(callerFaults.large());
  }

  private void gateways(List<Fault> faults) {
    faults.add(kill(choices.gateway()));
    faults.add(kill(choices.gateway()));
    faults.add(kill(choices.gateway(), choices.router(), choices.worker()));
    faults.add(new Restart(choices.gateway()));
    faults.add(freeze(choices.gateway()));
    faults.add(partition(choices.gateway(), Target.Role.BROKER));
    faults.add(partition(choices.gateway(), Target.Role.REDIS));
  }

  private Fault kill(Target... targets) {
    return new Kill(List.of(targets), choices.seconds(1, 5));
  }

  private Fault freeze(Target target) {
    return new Freeze(target, choices.seconds(1, 15), false);
  }

  private Fault partition(Target target, Target.Role from) {
    LinkState how = choices.random().nextBoolean() ? LinkState.CUT : LinkState.STALLED;
    return new Partition(target, from, how, choices.seconds(1, 12));
  }
}
