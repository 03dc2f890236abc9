package io.sluice.simulator.fault;

import java.time.Duration;
import java.util.OptionalInt;

/** What a fault does. */
public sealed interface Effect {

  /** An effect on single requests to the generation endpoints. */
  sealed interface OnRequest extends Effect {}

  /** An effect on the engine or its server as a whole. */
  sealed interface OnEngine extends Effect {}

  /** Answers with this status instead of generating. */
  record Status(int status, OptionalInt retryAfterSeconds) implements OnRequest {}

  /** Resets the connection without sending an answer. */
  record Reset() implements OnRequest {}

  /** Never sends a response head. */
  record HangBeforeHead() implements OnRequest {}

  /** Sends the head of a stream and nothing else. */
  record HangBeforeFirstToken() implements OnRequest {}

  /** Sends nothing more after this number of tokens and keeps the connection open. */
  record StallAfter(int tokens) implements OnRequest {}

  /** Closes the connection after this number of tokens, between two frames. */
  record CutAfter(int tokens) implements OnRequest {}

  /** Closes the connection inside the frame that follows this number of tokens. */
  record CutInFrameAfter(int tokens) implements OnRequest {}

  /** Ends the stream without its end marker. */
  record NoDone() implements OnRequest {}

  /** Reports an engine failure after this number of tokens: in the stream, or as status 500. */
  record ErrorAfter(int tokens) implements OnRequest {}

  /** Breaks the JSON of the frame that follows this number of tokens. The stream continues. */
  record GarbleAfter(int tokens) implements OnRequest {}

  /** Delays all output, so that it takes this many times as long. */
  record Slow(double factor) implements OnRequest {}

  /** Closes the listening socket. New connections are refused; open ones continue. */
  record RefuseConnections() implements OnEngine {}

  /** Multiplies the time of every engine step by this factor. */
  record EngineSlow(double factor) implements OnEngine {}

  /**
   * Loses KV blocks at this rate and slows the engine down in proportion to the loss, until a
   * restart.
   */
  record Leak(double blocksPerMinute) implements OnEngine {}

  /** Answers /metrics with the page from the time at which the fault was set. */
  record MetricsStale() implements OnEngine {}

  /** Answers /metrics with 404. */
  record MetricsAbsent() implements OnEngine {}

  /** Answers /metrics late. */
  record MetricsSlow(Duration delay) implements OnEngine {}

  /** Fixes the temperature that the GPU reports. */
  record GpuTemperature(double celsius) implements OnEngine {}
}
