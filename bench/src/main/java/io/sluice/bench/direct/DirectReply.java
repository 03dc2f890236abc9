package io.sluice.bench.direct;

import com.fasterxml.jackson.databind.JsonNode;

/** The reply of an engine to a question: an answer that is not streamed, or an error. */
public record DirectReply(int status, JsonNode body) {
  public boolean isAnswer() {
    return status == 200;
  }
}
