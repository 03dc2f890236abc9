package io.sluice.worker.config;

import java.util.Locale;

/** What a worker does when its engine has become worse since its start. */
public enum WatchdogMode {
  /** Nothing. */
  OFF,
  /** Says so in the log and in a metric. */
  REPORT,
  /** Restarts the engine. */
  RESTART;

  /** Returns the name in settings, such as {@code report}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
