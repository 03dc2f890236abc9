package io.sluice.bench.torture;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What the adversary is going to do, and when: equal seeds give equal schedules. */
final class Schedule {
  /** A blow, so long after the begin. */
  record Event(Duration at, Blow blow) {}

  private final PoolSize size;
  private final Random random;

  private Schedule(PoolSize size, Random random) {
    this.size = size;
    this.random = random;
  }

  /**
   * Blows of all wanted kinds in a random order, every kind again when all have been dealt.
   *
   * @param every the mean time between two
   * @param isWanted by its label
   * @throws IllegalArgumentException if no blow is wanted
   */
  static List<Event> of(
      long seed, PoolSize size, Duration length, Duration every, Predicate<String> isWanted) {
    var schedule = new Schedule(size, new Random(seed));
    Queue<Blow> deck = new ArrayDeque<>();
    List<Event> events = new ArrayList<>();
    long atMillis = every.toMillis() / 2;
    while (atMillis < length.toMillis()) {
      if (deck.isEmpty()) {
        deck.addAll(schedule.deal(isWanted));
      }
      events.add(new Event(Duration.ofMillis(atMillis), deck.remove()));
      atMillis += schedule.between(every.toMillis() / 2, every.toMillis() * 3 / 2);
    }
    return events;
  }

  private List<Blow> deal(Predicate<String> isWanted) {
    List<Blow> blows = new ArrayList<>(kinds().stream().map(kind -> kind.apply(this)).toList());
    String all = blows.stream().map(Blow::label).distinct().collect(Collectors.joining(", "));
    blows.removeIf(blow -> !isWanted.test(blow.label()));
    if (blows.isEmpty()) {
      throw new IllegalArgumentException("no such blow; there are: " + all);
    }
    Collections.shuffle(blows, random);
    return blows;
  }

  private static List<Function<Schedule, Blow>> kinds() {
    List<Function<Schedule, Blow>> kinds = new ArrayList<>();
    kinds.add(s -> s.kill(s.worker()));
    kinds.add(s -> s.kill(s.worker()));
    kinds.add(s -> s.kill(s.worker()));
    kinds.add(s -> s.kill(s.worker(), s.router()));
    kinds.add(s -> s.kill(s.router()));
    kinds.add(s -> s.kill(s.engine()));
    kinds.add(s -> s.kill(s.engine()));
    kinds.add(s -> s.kill(s.broker()));
    kinds.add(s -> s.kill(Target.redis()));
    kinds.add(s -> s.freeze(s.worker()));
    kinds.add(s -> s.freeze(s.worker()));
    kinds.add(s -> s.freeze(s.router()));
    kinds.add(s -> s.freeze(s.engine()));
    kinds.add(s -> s.freeze(s.broker()));
    kinds.add(s -> s.freeze(Target.redis()));
    kinds.add(s -> new Blow.Restart(s.worker()));
    kinds.add(s -> new Blow.Restart(s.router()));
    kinds.add(s -> new Blow.Restart(s.broker()));
    for (Target.Role from : List.of(Target.Role.BROKER, Target.Role.REDIS, Target.Role.ENGINE)) {
      kinds.add(s -> s.partition(s.worker(), from));
    }
    kinds.add(s -> s.partition(s.router(), Target.Role.BROKER));
    kinds.add(s -> s.partition(s.router(), Target.Role.REDIS));
    for (String how : List.of("oom", "die")) {
      kinds.add(s -> new Blow.Death(s.engine(), how, s.seconds(2, 5)));
    }
    for (String fault :
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
            "slow=3@0.5")) {
      kinds.add(s -> new Blow.Fault(s.engine(), fault, s.seconds(3, 8)));
    }
    return kinds;
  }

  private Blow kill(Target... targets) {
    return new Blow.Kill(List.of(targets), seconds(1, 5));
  }

  private Blow freeze(Target target) {
    return new Blow.Freeze(target, seconds(1, 15));
  }

  private Blow partition(Target target, Target.Role from) {
    return new Blow.Partition(
        target,
        from,
        random.nextBoolean() ? TcpLink.State.CUT : TcpLink.State.STALLED,
        seconds(1, 12));
  }

  private Target worker() {
    return Target.worker(1 + random.nextInt(size.workers()));
  }

  private Target engine() {
    return Target.engine(1 + random.nextInt(size.workers()));
  }

  private Target router() {
    return Target.router(1 + random.nextInt(size.routers()));
  }

  private Target broker() {
    return Target.broker(1 + random.nextInt(size.brokers()));
  }

  private Duration seconds(int from, int to) {
    return Duration.ofMillis(between(from * 1_000L, to * 1_000L));
  }

  private long between(long from, long to) {
    return from + random.nextLong(to - from + 1);
  }
}
