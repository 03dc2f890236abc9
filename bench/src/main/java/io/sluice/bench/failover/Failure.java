package io.sluice.bench.failover;

import io.sluice.bench.torture.pool.Target.Role;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What is done to the pool while streams run. */
enum Failure {
  /** The baseline. It is always measured, since the others mean nothing without it. */
  NONE(Blow.NOTHING, Optional.empty()),
  KILL_WORKER(Blow.KILL, Role.WORKER),
  KILL_ENGINE(Blow.KILL, Role.ENGINE),
  KILL_ROUTER(Blow.KILL, Role.ROUTER),
  KILL_GATEWAY(Blow.KILL, Role.GATEWAY),
  KILL_BROKER(Blow.KILL, Role.BROKER),
  KILL_REDIS(Blow.KILL, Role.REDIS),
  FREEZE_WORKER(Blow.FREEZE, Role.WORKER),
  FREEZE_ENGINE(Blow.FREEZE, Role.ENGINE),
  FREEZE_ROUTER(Blow.FREEZE, Role.ROUTER),
  RESTART_WORKER(Blow.RESTART, Role.WORKER),
  RESTART_ROUTER(Blow.RESTART, Role.ROUTER);

  /** How a process is disrupted. */
  enum Blow {
    NOTHING("none"),
    /** SIGKILL; it is started again a few seconds later. */
    KILL("kill -9"),
    /** SIGSTOP, for longer than it takes to be noticed. */
    FREEZE("freeze"),
    /** SIGTERM; it is started again when it has ended. */
    RESTART("restart");

    private final String label;

    Blow(String label) {
      this.label = label;
    }
  }

  private final Blow blow;
  private final Optional<Role> role;

  Failure(Blow blow, Role role) {
    this(blow, Optional.of(role));
  }

  Failure(Blow blow, Optional<Role> role) {
    this.blow = blow;
    this.role = role;
  }

  Blow blow() {
    return blow;
  }

  /** The role of the victim; empty if there is none. */
  Optional<Role> role() {
    return role;
  }

  /** A few words for the report. */
  String label() {
    return role.map(one -> blow.label + " " + one.name().toLowerCase(Locale.ROOT))
        .orElse(blow.label);
  }

  /**
   * The baseline, and the failures whose labels contain one of the texts.
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
