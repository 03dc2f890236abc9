package io.sluice.bench.failover;

import io.sluice.bench.torture.pool.Target.Role;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What is done to the pool while streams run. */
enum Failure {
  /** The baseline. It is always measured, since the others mean nothing without it. */
  NONE(Disruption.NOTHING, Optional.empty()),
  KILL_WORKER(Disruption.KILL, Role.WORKER),
  KILL_ENGINE(Disruption.KILL, Role.ENGINE),
  KILL_ROUTER(Disruption.KILL, Role.ROUTER),
  KILL_GATEWAY(Disruption.KILL, Role.GATEWAY),
  KILL_BROKER(Disruption.KILL, Role.BROKER),
  KILL_REDIS(Disruption.KILL, Role.REDIS),
  FREEZE_WORKER(Disruption.FREEZE, Role.WORKER),
  FREEZE_ENGINE(Disruption.FREEZE, Role.ENGINE),
  FREEZE_ROUTER(Disruption.FREEZE, Role.ROUTER),
  RESTART_WORKER(Disruption.RESTART, Role.WORKER),
  RESTART_ROUTER(Disruption.RESTART, Role.ROUTER);

  /** How a process is disrupted. */
  enum Disruption {
    NOTHING("none"),
    /** SIGKILL; it is started again a few seconds later. */
    KILL("kill -9"),
    /** SIGSTOP, for longer than it takes to be noticed. */
    FREEZE("freeze"),
    /** SIGTERM; it is started again when it has ended. */
    RESTART("restart");

    private final String label;

    Disruption(String label) {
      this.label = label;
    }
  }

  private final Disruption disruption;
  private final Optional<Role> role;

  Failure(Disruption disruption, Role role) {
    this(disruption, Optional.of(role));
  }

  Failure(Disruption disruption, Optional<Role> role) {
    this.disruption = disruption;
    this.role = role;
  }

  Disruption disruption() {
    return disruption;
  }

  /** Returns the role of the victim; empty if there is none. */
  Optional<Role> role() {
    return role;
  }

  /** Returns a few words for the report. */
  String label() {
    return role.map(one -> disruption.label + " " + one.name().toLowerCase(Locale.ROOT))
        .orElse(disruption.label);
  }

  /**
   * Returns the baseline, and the failures whose labels contain one of the texts.
   *
   * @param texts none for all failures
   * @throws IllegalArgumentException if a text is in no label
   */
  static List<Failure> containing(List<String> texts) {
    for (String text : texts) {
      if (Arrays.stream(values()).noneMatch(failure -> failure.label().contains(text))) {
        throw new IllegalArgumentException(
            "no failure contains '%s'; there are %s"
                .formatted(text, Arrays.stream(values()).map(Failure::label).toList()));
      }
    }
    return Arrays.stream(values())
        .filter(
            failure ->
                failure == NONE
                    || texts.isEmpty()
                    || texts.stream().anyMatch(failure.label()::contains))
        .toList();
  }
}
