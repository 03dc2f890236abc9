package io.sluice.gateway.pool;

import java.util.Locale;

/** An option of a request that OpenAI's API has no field for. */
enum RequestOption {
  PRIORITY,
  TIMEOUT_MS,
  SLO_TTFT_MS,
  TIER,
  FALLBACK_MODEL,
  CONVERSATION;

  private final String lower = name().toLowerCase(Locale.ROOT);
  private final String header = "x-sluice-" + lower.replace('_', '-');
  private final String field = "sluice_" + lower;

  /** Returns its header, such as {@code x-sluice-fallback-model}. */
  String header() {
    return header;
  }

  /** Returns its field of the body's {@code metadata}, such as {@code sluice_fallback_model}. */
  String field() {
    return field;
  }
}
