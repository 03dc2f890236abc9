package io.sluice.gateway.messages;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class PromptTokensTest {
  private static final String MESSAGE = "{\"role\": \"user\", \"content\": \"Hello\"}";

  private final PromptTokens tokens = new PromptTokens();

  @Test
  void toolsAndCallsCountLikeText() throws IOException {
    // Given
    String function = "[{\"type\": \"function\", \"function\": {\"name\": \"get_weather\"}}]";

    // When
    long plain = count("{\"messages\": [%s]}".formatted(MESSAGE));
    long withTools = count("{\"messages\": [%s], \"tools\": %s}".formatted(MESSAGE, function));
    long withCalls =
        count(
            "{\"messages\": [%s]}"
                .formatted(MESSAGE.replace("}", ", \"tool_calls\": " + function + "}")));

    // Then
    assertThat(plain).isPositive();
    assertThat(withTools).isGreaterThan(plain);
    assertThat(withCalls).isEqualTo(withTools);
  }

  private long count(String chat) throws IOException {
    return tokens.of((ObjectNode) Json.mapper().readTree(chat));
  }
}
