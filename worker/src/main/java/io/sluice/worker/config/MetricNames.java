package io.sluice.worker.config;

import java.util.Locale;

/** Under which names a worker exports what OpenTelemetry's conventions have a name for. */
public enum MetricNames {
  /** Only Sluice's own names, {@code sluice_worker_*}. */
  SLUICE,
  /** Only the names of OpenTelemetry's conventions, {@code gen_ai_*}. */
  GEN_AI,
  /** Both. */
  BOTH;

  /** Returns the name in settings, such as {@code gen-ai}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
