package io.sluice.bench.torture;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** One thing that the adversary does to the pool; it always undoes it in the end. */
sealed interface Blow {
  /** What it is done to. */
  List<Target> targets();

  /** A few words for the report; equal ones are counted together. */
  String label();

  /** {@code kill -9} of all at once, and a new start a while later. */
  record Kill(List<Target> targets, Duration downFor) implements Blow {
    @Override
    public String label() {
      return "kill -9 " + roles(targets);
    }
  }

  /** SIGSTOP, and SIGCONT a while later. */
  record Freeze(Target target, Duration duration) implements Blow {
    @Override
    public List<Target> targets() {
      return List.of(target);
    }

    @Override
    public String label() {
      return "freeze " + roles(targets());
    }
  }

  /** SIGTERM, and a new start when it has ended. */
  record Restart(Target target) implements Blow {
    @Override
    public List<Target> targets() {
      return List.of(target);
    }

    @Override
    public String label() {
      return "restart " + roles(targets());
    }
  }

  /** Nothing gets through between a process and others. */
  record Partition(Target target, Target.Role from, TcpLink.State how, Duration duration)
      implements Blow {
    @Override
    public List<Target> targets() {
      return List.of(target);
    }

    @Override
    public String label() {
      return "%s %s from %s"
          .formatted(
              how == TcpLink.State.CUT ? "cut" : "stall",
              roles(targets()),
              from.name().toLowerCase(Locale.ROOT));
    }
  }

  /** What the simulator's fault controls offer for requests. */
  record Fault(Target target, String fault, Duration duration) implements Blow {
    @Override
    public List<Target> targets() {
      return List.of(target);
    }

    @Override
    public String label() {
      return "engine fault " + fault.split("[=@]", 2)[0];
    }
  }

  /**
   * The engine ends while its worker lives.
   *
   * @param how {@code oom} or {@code die}
   */
  record Death(Target target, String how, Duration boot) implements Blow {
    @Override
    public List<Target> targets() {
      return List.of(target);
    }

    @Override
    public String label() {
      return "engine " + how;
    }
  }

  private static String roles(List<Target> targets) {
    return targets.stream()
        .map(target -> target.role().name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(" with "));
  }
}
