package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** One thing that the adversary does to the pool; it always undoes it in the end. */
sealed interface Blow
    permits Kill,
        Freeze,
        Restart,
        Partition,
        EngineFault,
        EngineDeath,
        EngineKill,
        ClockSkew,
        TopicLoss,
        TopicThinning,
        Hostility,
        Poison,
        Rush {

  /** What it is done to; empty where no process is. */
  List<Target> targets();

  /** A few words for the report; equal ones are counted together. */
  String label();

  /** How long the pool is left so. */
  Duration lasting();

  /** What callers send when it is dealt; held to the protocol as all other requests are. */
  default List<PlannedRequest> requests() {
    return List.of();
  }

  /** Does it. */
  void deal(Arena arena) throws IOException, InterruptedException, TimeoutException;

  /** Undoes it; returns when its targets can be used again. */
  void recover(Arena arena) throws IOException, InterruptedException, TimeoutException;

  /** Whether it is done to a process of a role. */
  default boolean hits(Target.Role role) {
    return targets().stream().anyMatch(target -> target.role() == role);
  }

  /** The roles of processes, for a label. */
  static String roles(List<Target> targets) {
    return targets.stream()
        .map(target -> target.role().name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(" with "));
  }
}
