package io.sluice.gateway.batch.record;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import java.util.Locale;

/** How far a batch is. Later phases come later here, and the last four are ends. */
public enum Phase {
  /** The input is not read to its end yet. Also stands for a phase of a newer version. */
  @JsonEnumDefaultValue
  VALIDATING,
  IN_PROGRESS,
  /** All lines have a result; the files are not complete yet. */
  FINALIZING,
  /** Each request was run. */
  COMPLETED,
  /** The input is not one that can be run. */
  FAILED,
  /** The time ended before all requests were answered. */
  EXPIRED,
  /** The caller cancelled the batch before all requests were answered. */
  CANCELLED;

  /** Returns whether nothing follows. */
  public boolean isEnd() {
    return compareTo(FINALIZING) > 0;
  }

  /** Returns OpenAI's name. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
