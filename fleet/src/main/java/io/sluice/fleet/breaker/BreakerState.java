package io.sluice.fleet.breaker;

import io.sluice.common.protocol.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The state of a worker's breaker: independent causes to be open, any of which is sufficient.
 * Immutable.
 *
 * @param epoch grows with every change; of two states, the one with the higher epoch applies. It is
 *     never below the time of the change in epoch milliseconds, so that it grows even after all
 *     copies of the previous state have expired. 0 for a breaker that has never changed
 * @param circuit the state that follows from failures
 * @param memory whether the engine's KV cache is too full
 * @param engineDead whether the engine does not respond
 * @param operator an operator's override, which takes precedence over the other causes
 * @param reason the operator's reason; may be empty
 */
public record BreakerState(
    long epoch,
    FailureCircuit circuit,
    boolean memory,
    boolean engineDead,
    OperatorOverride operator,
    String reason) {

  /** A closed breaker that has never changed. */
  public static final BreakerState NEW =
      new BreakerState(0, FailureCircuit.NEW, false, false, OperatorOverride.AUTO, "");

  /** Only the reason may be missing. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public BreakerState {
    Objects.requireNonNull(circuit, "circuit is missing");
    Objects.requireNonNull(operator, "operator is missing");
    reason = reason == null ? "" : reason;
  }

  /** Returns what the breaker lets through. */
  public BreakerPhase phase() {
    return switch (operator) {
      case FORCED_OPEN -> BreakerPhase.OPEN;
      case FORCED_CLOSED -> BreakerPhase.CLOSED;
      case AUTO -> memory || engineDead ? BreakerPhase.OPEN : circuit.phase();
    };
  }

  /** Returns all causes that apply, the most informative first; empty if there is none. */
  public List<BreakerCause> causes() {
    List<BreakerCause> causes = new ArrayList<>();
    if (operator != OperatorOverride.AUTO) {
      causes.add(BreakerCause.OPERATOR);
    }
    if (engineDead) {
      causes.add(BreakerCause.ENGINE_DEAD);
    }
    if (memory) {
      causes.add(BreakerCause.MEMORY);
    }
    if (circuit.phase() != BreakerPhase.CLOSED) {
      causes.add(BreakerCause.FAILURES);
    }
    return List.copyOf(causes);
  }

  /** Returns the causes for people, such as {@code engine dead, memory}. */
  public String causesInWords() {
    return causes().stream()
        .map(cause -> cause.name().toLowerCase(Locale.ROOT).replace('_', ' '))
        .collect(Collectors.joining(", "));
  }

  /**
   * Parses a state.
   *
   * @throws IllegalArgumentException if the text is not a state
   */
  public static BreakerState parse(String json) {
    return Json.parse(json, BreakerState.class, "breaker");
  }

  BreakerState with(FailureCircuit newCircuit) {
    return new BreakerState(epoch, newCircuit, memory, engineDead, operator, reason);
  }

  BreakerState withMemory(boolean isShort) {
    return new BreakerState(epoch, circuit, isShort, engineDead, operator, reason);
  }

  BreakerState withEngineDead(boolean isDead) {
    return new BreakerState(epoch, circuit, memory, isDead, operator, reason);
  }

  BreakerState with(OperatorOverride override, String why) {
    return new BreakerState(epoch, circuit, memory, engineDead, override, why);
  }

  BreakerState at(long newEpoch) {
    return new BreakerState(newEpoch, circuit, memory, engineDead, operator, reason);
  }
}
