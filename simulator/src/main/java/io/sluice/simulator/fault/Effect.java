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

  /** Resets the connection without a byte of an answer. */
  record Reset() implements OnRequest {}

  /** Never sends a response head. */
  record HangBeforeHead() implements OnRequest {}

  /** Sends the head of a stream and nothing more. */
  record HangBeforeFirstToken() implements OnRequest {}

  /** Sends nothing more after so many tokens, and keeps the connection open. */
  record StallAfter(int tokens) implements OnRequest {}

  /** Closes the connection after so many tokens, between two frames. */
  record CutAfter(int tokens) implements OnRequest {}

  /** Closes the connection inside the frame that follows so many tokens. */
  record CutInFrameAfter(int tokens) implements OnRequest {}

  /** Ends the stream without its end marker. */
  record NoDone() implements OnRequest {}

  /** Reports an engine failure after so many tokens: in the stream, or as a status 500. */
  record ErrorAfter(int tokens) implements OnRequest {}

  /** Breaks the JSON of the frame that follows so many tokens; the stream goes on. */
  record GarbleAfter(int tokens) implements OnRequest {}

  /** Delivers everything so many times later. */
  record Slow(double factor) implements OnRequest {}

  /** Closes the listening socket: connects are refused; open connections go on. */
  record RefuseConnections() implements OnEngine {}

  /** Makes every engine step so many times longer. */
  record EngineSlow(double factor) implements OnEngine {}

  /**
   * Loses KV blocks for good, so many a minute, and slows the engine down with what is lost, until
   * a restart.
   */
  record Leak(double blocksPerMinute) implements OnEngine {}

  /** Answers /metrics with the page as it was when the fault came. */
  record MetricsStale() implements OnEngine {}

  /** Answers /metrics with 404. */
  record MetricsAbsent() implements OnEngine {}

  /** Answers /metrics late. */
  record MetricsSlow(Duration delay) implements OnEngine {}

  /** Fixes the temperature that the GPU reports. */
  record GpuTemperature(double celsius) implements OnEngine {}
}
