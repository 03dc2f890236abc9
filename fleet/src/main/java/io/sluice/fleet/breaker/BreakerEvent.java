package io.sluice.fleet.breaker;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** An event that may change a breaker. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = BreakerEvent.Usage.class, name = "usage"),
  @JsonSubTypes.Type(value = BreakerEvent.Failed.class, name = "failed"),
  @JsonSubTypes.Type(value = BreakerEvent.Succeeded.class, name = "succeeded"),
  @JsonSubTypes.Type(value = BreakerEvent.Tripped.class, name = "tripped"),
  @JsonSubTypes.Type(value = BreakerEvent.EngineDown.class, name = "engine_down"),
  @JsonSubTypes.Type(value = BreakerEvent.EngineUp.class, name = "engine_up"),
  @JsonSubTypes.Type(value = BreakerEvent.WorkerStarted.class, name = "worker_started"),
  @JsonSubTypes.Type(value = BreakerEvent.Ticked.class, name = "ticked"),
  @JsonSubTypes.Type(value = BreakerEvent.Overridden.class, name = "overridden"),
  @JsonSubTypes.Type(value = BreakerEvent.Restored.class, name = "restored")
})
public sealed interface BreakerEvent {

  /**
   * The engine's metrics were read.
   *
   * @param usage the usage of its KV cache, 0 to 1
   */
  record Usage(double usage) implements BreakerEvent {
    /** A value that is not a number carries no information; callers must omit it. */
    public Usage {
      if (!Double.isFinite(usage)) {
        throw new IllegalArgumentException("KV usage must be a number, not " + usage);
      }
    }
  }

  /** A request failed, and the engine was the cause. */
  record Failed() implements BreakerEvent {}

  /** A request was answered. */
  record Succeeded() implements BreakerEvent {}

  /** An observer has enough evidence of its own to open the breaker. */
  record Tripped() implements BreakerEvent {}

  /** The engine has stopped responding. */
  record EngineDown() implements BreakerEvent {}

  /** The engine responds. */
  record EngineUp() implements BreakerEvent {}

  /** The worker's process has started and does not know the state of its engine yet. */
  record WorkerStarted() implements BreakerEvent {}

  /** Time has passed. */
  record Ticked() implements BreakerEvent {}

  /** An operator set or removed an override. */
  record Overridden(OperatorOverride operator, String reason) implements BreakerEvent {}

  /** A writer knows this state, which may have been lost in the registry. */
  record Restored(BreakerState state) implements BreakerEvent {}

  /**
   * An event and its time.
   *
   * @param atMillis epoch milliseconds
   */
  record Timed(BreakerEvent event, long atMillis) {}
}
