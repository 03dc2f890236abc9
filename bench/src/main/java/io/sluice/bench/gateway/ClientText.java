package io.sluice.bench.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.Choice;
import java.util.Optional;

/** The text that a client has, and the error that ended it. Used by one thread. */
public final class ClientText {
  private final StringBuilder text = new StringBuilder();
  private Optional<String> error = Optional.empty();

  /** Adds the content of a chat chunk. */
  public void chunk(JsonNode chunk) {
    add(Choice.firstOfChunk(chunk).text());
  }

  void add(String more) {
    text.append(more);
  }

  void replace(String whole) {
    text.setLength(0);
    text.append(whole);
  }

  void failed(String code) {
    error = Optional.of(code);
  }

  /** Returns the text so far. */
  public String text() {
    return text.toString();
  }

  /** Returns the code of the error that ended it; empty if none did. */
  public Optional<String> error() {
    return error;
  }
}
