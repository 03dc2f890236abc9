package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sluice.common.protocol.Endpoint;
import java.util.List;
import java.util.OptionalInt;

/** The most output tokens that a request allows, over its prompt. */
public final class RequestedOutput {
  /** OpenAI's and vLLM's default for completions; chats have none. */
  private static final int COMPLETIONS_DEFAULT = 16;

  private static final List<String> OF_CHATS = List.of("max_completion_tokens", "max_tokens");
  private static final List<String> OF_COMPLETIONS = List.of("max_tokens");

  private RequestedOutput() {}

  /** The fields of a body that set it; the first that is not null counts. */
  public static List<String> fields(Endpoint endpoint) {
    return switch (endpoint) {
      case CHAT_COMPLETIONS -> OF_CHATS;
      case COMPLETIONS -> OF_COMPLETIONS;
    };
  }

  /** The value that counts, of whatever type; missing if there is none. */
  public static JsonNode value(JsonNode body, Endpoint endpoint) {
    return fields(endpoint).stream()
        .filter(body::hasNonNull)
        .findFirst()
        .map(body::path)
        .orElse(MissingNode.getInstance());
  }

  /**
   * The limit, with the endpoint's default where the body names none; empty if the engine decides,
   * as it does at an explicit null, or if the value is no integer.
   */
  public static OptionalInt of(JsonNode body, Endpoint endpoint) {
    if (endpoint == Endpoint.COMPLETIONS && !body.has("max_tokens")) {
      return OptionalInt.of(COMPLETIONS_DEFAULT);
    }
    JsonNode value = value(body, endpoint);
    return value.isIntegralNumber() && value.canConvertToInt()
        ? OptionalInt.of(value.asInt())
        : OptionalInt.empty();
  }
}
