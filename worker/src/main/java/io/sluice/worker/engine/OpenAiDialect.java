package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.JsonNode;

/** Any server with OpenAI's {@code /v1/chat/completions}: nothing more is known of it. */
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
