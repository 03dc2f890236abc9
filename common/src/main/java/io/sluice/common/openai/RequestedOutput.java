package io.sluice.common.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sluice.common.protocol.Endpoint;
import java.util.List;
import java.util.OptionalInt;

/** The maximum number of output tokens that a request allows, in addition to its prompt. */
public final class RequestedOutput {
  /** The default of OpenAI and vLLM for completions. Chat completions have no default. */
  private static final int COMPLETIONS_DEFAULT = 16;

  private static final List<String> OF_CHATS = List.of("max_completion_tokens", "max_tokens");
  private static final List<String> OF_COMPLETIONS = List.of("max_tokens");

  private RequestedOutput() {}

  /**
   * Returns the body's fields that set the limit, in order of precedence: the first that is not
   * null applies.
   */
  public static List<String> fields(Endpoint endpoint) {
    return switch (endpoint) {
      case CHAT_COMPLETIONS -> OF_CHATS;
      case COMPLETIONS -> OF_COMPLETIONS;
    };
  }

  /** Returns the value that applies, of any type; a missing node if there is none. */
  public static JsonNode value(JsonNode body, Endpoint endpoint) {
    return fields(endpoint).stream()
        .filter(body::hasNonNull)
        .findFirst()
        .map(body::path)
        .orElse(MissingNode.getInstance());
  }

  /**
   * Returns the limit, with the endpoint's default if the body sets none. Empty if the engine
   * decides, which is also the meaning of an explicit null, or if the value is not an integer.
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
