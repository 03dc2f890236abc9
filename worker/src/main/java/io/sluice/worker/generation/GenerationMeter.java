package io.sluice.worker.generation;

import io.sluice.common.protocol.Outcome;
import java.time.Duration;

/** Hears what generations do, for metrics; must not block. Thread-safe. */
public interface GenerationMeter {

  /** A request's first token, so long after the request was appended. */
  void firstToken(Duration sinceAppend);

  /** Output tokens were published. */
  void tokens(int count);

  /** An outcome was reported. */
  void outcome(Outcome.Event event);
}
