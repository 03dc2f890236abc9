package io.sluice.worker.generation;

import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.TraceContext;
import java.time.Duration;
import java.util.Optional;

/** Receives what generations do, for metrics. Implementations must not block. Thread-safe. */
public interface GenerationMeter {

  /**
   * A request got its first token.
   *
   * @param sinceAppend the time since the request was appended
   * @param trace of the attempt; empty if it is not traced
   */
  void firstToken(Duration sinceAppend, Optional<TraceContext> trace);

  /** Output tokens were generated. */
  void tokens(int count);

  /**
   * An answer that another attempt may have begun is continued.
   *
   * @param way {@code ids} or {@code text}; {@code end} if only the end was missing; {@code start}
   *     if there were no tokens; {@code restart} if the existing tokens became void
   */
  void continued(String way);

  /** The engine has answered an attempt, or failed it. */
  void ran(EngineRun run);

  /** An outcome was reported. */
  void outcome(Outcome outcome);
}
