package io.sluice.worker.generation;

import io.sluice.common.protocol.Outcome;
import java.time.Duration;

/** Hears what generations do, for metrics; must not block. Thread-safe. */
public interface GenerationMeter {

  /** A request's first token, so long after the request was appended. */
  void firstToken(Duration sinceAppend);

  /** Output tokens were published. */
  void tokens(int count);

  /**
   * An answer that another attempt may have begun goes on.
   *
   * @param way {@code ids}, {@code text}, {@code end} where nothing was missing but that, {@code
   *     start} where there was nothing, or {@code restart} where what there was is void
   */
  void continued(String way);

  /** An outcome was reported. */
  void outcome(Outcome outcome);
}
