package io.sluice.simulator.openai.response;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/** The keys that release 0.32 added to usage, in the places where vLLM writes them. */
enum UsageKeys {
  /** No such keys. */
  BEFORE_0_32,
  /** The keys of chat answers. */
  CHAT,
  /** The keys of completion answers, which never count tokens added to the cache. */
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
