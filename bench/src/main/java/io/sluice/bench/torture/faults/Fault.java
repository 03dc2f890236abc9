package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** A fault: something that is done to the pool for a while and always undone. */
sealed interface Fault
    permits Kill,
        Freeze,
        Restart,
        Partition,
        EngineFault,
        EngineDeath,
        EngineKill,
        ClockSkew,
        TopicDeletion,
        TopicReplicaLoss,
        HostileRecords,
        PoisonPrompt,
        RequestBurst {

  /** Returns the processes that it is done to; empty if it is done to none. */
  List<Target> targets();

  /** Returns a few words for the report; equal ones are counted together. */
  String label();

  /** Returns how long it lasts before the recovery begins. */
  Duration duration();

  /**
   * Returns the requests that callers send when it is injected. They are checked like all other
   * requests.
   */
  default List<PlannedRequest> requests() {
    return List.of();
  }

  /** Injects it. */
  void inject(FaultContext context) throws IOException, InterruptedException, TimeoutException;

  /** Undoes it; returns when its targets are ready again. */
  void recover(FaultContext context) throws IOException, InterruptedException, TimeoutException;

  /** Returns whether it is done to a process of a role. */
  default boolean affects(Target.Role role) {
    return targets().stream().anyMatch(target -> target.role() == role);
  }

  /** Returns the roles of processes, for a label. */
  static String roles(List<Target> targets) {
    return targets.stream()
        .map(target -> target.role().name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(" with "));
  }
}
