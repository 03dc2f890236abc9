package io.sluice.worker.trace;

import io.sluice.common.protocol.Endpoint;
import java.util.OptionalInt;

/**
 * What is asked of an engine, without any of its text.
 *
 * @param provider the name of the engine's dialect
 * @param model the engine's own name for it
 */
public record EngineCall(
    Endpoint endpoint, String provider, String model, OptionalInt maxTokens, boolean isStream) {

  /** Returns the operation as OpenTelemetry's conventions for generative AI name it. */
  String operation() {
    return switch (endpoint) {
      case CHAT_COMPLETIONS -> "chat";
      case COMPLETIONS -> "text_completion";
    };
  }
}
