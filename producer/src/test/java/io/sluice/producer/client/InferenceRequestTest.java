package io.sluice.producer.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.producer.client.InferenceRequest.Message;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InferenceRequestTest {
  @Test
  void theBytesOfABodyAreSentUnchanged() {
    byte[] body = "{ \"model\": \"m\",  \"temperature\": 1.0 }".getBytes(StandardCharsets.UTF_8);

    InferenceRequest request = InferenceRequest.of(Endpoint.COMPLETIONS, body).build();

    assertThat(request.body()).isEqualTo(body);
  }

  @Test
  void fieldsAreAddedAndReplaced() {
    InferenceRequest request =
        InferenceRequest.chat("m", List.of(Message.user("hi")))
            .with("stream", false)
            .with("stream_options", Map.of("include_usage", true))
            .build();

    assertThat(new String(request.body(), StandardCharsets.UTF_8))
        .isEqualTo(
            """
            {"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false,\
            "stream_options":{"include_usage":true}}""");
    assertThat(request.isStreamed()).isFalse();
  }

  @Test
  void aFieldDoesNotChangeTheCallersTree() {
    // Given
    ObjectNode body = Json.mapper().createObjectNode().put("model", "m");

    // When
    InferenceRequest request =
        InferenceRequest.of(Endpoint.COMPLETIONS, body).with("model", "other").build();

    // Then
    assertThat(request.openAi().model()).isEqualTo("other");
    assertThat(body).isEqualTo(Json.known("{\"model\":\"m\"}"));
  }

  @Test
  void aFieldDoesNotChangeWhatWasTakenFromTheBuilderBefore() throws Exception {
    // Given
    InferenceRequest.Builder builder =
        InferenceRequest.chat("m", List.of(Message.user("hi"))).with("max_tokens", 1);
    OpenAiRequest seen = builder.openAi();
    InferenceRequest first = builder.with("max_tokens", 2).build();

    // When
    InferenceRequest second = builder.with("max_tokens", 3).build();

    // Then
    assertThat(seen.maxTokens()).hasValue(1);
    assertThat(first.openAi().maxTokens()).hasValue(2);
    assertThat(Json.tree(first.body()).path("max_tokens").asInt()).isEqualTo(2);
    assertThat(second.openAi().maxTokens()).hasValue(3);
    assertThat(Json.tree(second.body()).path("max_tokens").asInt()).isEqualTo(3);
  }
}
