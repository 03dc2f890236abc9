package io.sluice.fleet.breaker;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** What bears on a breaker. */
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
   * @param usage of its KV cache, 0 to 1
   */
  record Usage(double usage) implements BreakerEvent {
    /** What is no number says nothing; callers leave it out. */
    public Usage {
      if (!Double.isFinite(usage)) {
        throw new IllegalArgumentException("KV usage must be a number, not " + usage);
      }
    }
  }

  /** A request failed by the engine's fault. */
  record Failed() implements BreakerEvent {}

  /** A request was answered. */
  record Succeeded() implements BreakerEvent {}

  /** Somebody has gathered enough evidence of his own to open it. */
  record Tripped() implements BreakerEvent {}

  /** The engine does not answer any more. */
  record EngineDown() implements BreakerEvent {}

  /** The engine answers. */
  record EngineUp() implements BreakerEvent {}

  /** The worker's process has started, with an engine of which it knows nothing yet. */
  record WorkerStarted() implements BreakerEvent {}

  /** Time has passed. */
  record Ticked() implements BreakerEvent {}

  /** An operator has spoken. */
  record Overridden(OperatorOverride operator, String reason) implements BreakerEvent {}

  /** A writer knows this state, which others may have lost. */
  record Restored(BreakerState state) implements BreakerEvent {}

  /**
   * An event and its time.
   *
   * @param atMillis epoch milliseconds
   */
  record Timed(BreakerEvent event, long atMillis) {}
}
