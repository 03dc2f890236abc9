package io.sluice.worker.app;

import io.micrometer.core.instrument.config.MeterFilter;
import io.sluice.worker.config.MetricNames;

/**
 * The names of OpenTelemetry's semantic conventions for generative AI, which are still in
 * development, and the metrics of Sluice that say the same.
 */
final class GenAiNames {
  static final String REQUEST_DURATION = "gen_ai.server.request.duration";
  static final String TIME_TO_FIRST_TOKEN = "gen_ai.server.time_to_first_token";
  static final String TIME_PER_OUTPUT_TOKEN = "gen_ai.server.time_per_output_token";
  static final String TOKEN_USAGE = "gen_ai.client.token.usage";

  static final String OPERATION = "gen_ai.operation.name";
  static final String PROVIDER = "gen_ai.provider.name";
  static final String REQUEST_MODEL = "gen_ai.request.model";
  static final String TOKEN_TYPE = "gen_ai.token.type";
  static final String ERROR_TYPE = "error.type";

  static final String TTFT = "sluice.worker.ttft";
  static final String ITL = "sluice.worker.itl";

  private static final String PREFIX = "gen_ai.";

  private GenAiNames() {}

  /** Leaves out the metrics whose names are not wanted. */
  static MeterFilter filter(MetricNames wanted) {
    return MeterFilter.deny(
        id ->
            switch (wanted) {
              case SLUICE -> id.getName().startsWith(PREFIX);
              case GEN_AI -> id.getName().equals(TTFT) || id.getName().equals(ITL);
              case BOTH -> false;
            });
  }
}
