package io.sluice.simulator.openai.response;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/** The keys of usage that came with 0.32, each where vLLM writes it. */
enum UsageKeys {
  /** None of them. */
  BEFORE_0_32,
  /** Those of chat. */
  CHAT,
  /** Those of completions, which never count what was added to the cache. */
  COMPLETION;

  void writeDetails(JsonGenerator json, Usage.Place place, int createdCacheTokens)
      throws IOException {
    boolean whole = place == Usage.Place.WHOLE;
    if (this == CHAT) {
      json.writeNumberField("created_cache_tokens", createdCacheTokens);
    } else if (this == COMPLETION && whole) {
      json.writeNullField("created_cache_tokens");
    }
    if (this != BEFORE_0_32 && whole) {
      json.writeNullField("multimodal_tokens");
    }
  }

  void writeCompletionDetails(JsonGenerator json, Usage.Place place) throws IOException {
    boolean whole = place == Usage.Place.WHOLE && this != BEFORE_0_32;
    boolean frame = place == Usage.Place.FRAME && this == CHAT;
    if (whole || frame) {
      json.writeNullField("completion_tokens_details");
    }
  }
}
