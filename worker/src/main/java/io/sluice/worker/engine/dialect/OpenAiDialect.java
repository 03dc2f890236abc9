package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Any server that answers {@code /v1/chat/completions} as OpenAI does. Nothing else is expected of
 * it: no metrics, no {@code [DONE]}, no usable {@code /v1/models}.
 */
final class OpenAiDialect implements EngineDialect {
  @Override
  public String name() {
    return "openai";
  }

  @Override
  public boolean owns(JsonNode card) {
    return true;
  }
}
