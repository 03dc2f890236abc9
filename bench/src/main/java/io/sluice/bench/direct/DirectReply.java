package io.sluice.bench.direct;

import com.fasterxml.jackson.databind.JsonNode;

/** What an engine replied to a question: an answer as a whole, or an error. */
public record DirectReply(int status, JsonNode body) {
  public boolean isAnswer() {
    return status == 200;
  }
}
