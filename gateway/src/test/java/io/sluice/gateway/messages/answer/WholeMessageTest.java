package io.sluice.gateway.messages.answer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WholeMessageTest {

  @Test
  void aChatAnswerBecomesAMessage() throws IOException {
    // When
    JsonNode message =
        message(
            """
            {"content": "Let me see.", "reasoning": "Two calls.", "tool_calls": [
              {"id": "a", "type": "function",
               "function": {"name": "weather", "arguments": "{\\"city\\": \\"Rome\\"}"}},
              {"type": "function", "function": {"name": "time", "arguments": ""}}]}
            """,
            "tool_calls");

    // Then
    assertThat(message)
        .isEqualTo(
            json(
                """
                {"id": "msg_id", "type": "message", "role": "assistant", "model": "m",
                 "content": [
                   {"type": "thinking", "thinking": "Two calls.", "signature": "id"},
                   {"type": "text", "text": "Let me see."},
                   {"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Rome"}},
                   {"type": "tool_use", "id": "toolu_id_3", "name": "time", "input": {}}],
                 "stop_reason": "tool_use", "stop_sequence": null,
                 "usage": {"input_tokens": 4, "cache_creation_input_tokens": 0,
                           "cache_read_input_tokens": 16, "output_tokens": 5}}
                """));
  }

  @Test
  void anEmptyAnswerHasNoBlock() throws IOException {
    assertThat(message("{\"content\": null}", "stop").path("content")).isEmpty();
  }

  @Test
  void argumentsThatAreNotJsonAreKept() throws IOException {
    // When
    JsonNode message =
        message(
            """
            {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{\\"ci"}}]}
            """,
            "length");

    // Then
    assertThat(message.at("/content/0/input")).isEqualTo(json("{\"INVALID_JSON\": \"{\\\"ci\"}"));
    assertThat(message.path("stop_reason").asText()).isEqualTo("max_tokens");
  }

  @ParameterizedTest
  @CsvSource({
    "stop,end_turn",
    "length,max_tokens",
    "tool_calls,tool_use",
    "content_filter,refusal",
    "repetition,end_turn"
  })
  void theReasonHasAnotherName(String finish, String expected) throws IOException {
    assertThat(message("{\"content\": \"Hi\"}", finish).path("stop_reason").asText())
        .isEqualTo(expected);
  }

  @Test
  void aNamedToolThatEndsWithAPlainStopIsACall() throws IOException {
    // When
    JsonNode message =
        message(
            "{\"tool_calls\": [{\"id\": \"a\", \"function\": {\"name\": \"f\", \"arguments\": \"{}\"}}]}",
            "stop");

    // Then
    assertThat(message.path("stop_reason").asText()).isEqualTo("tool_use");
  }

  @Test
  void aRefusalIsAText() throws IOException {
    // When
    JsonNode message = message("{\"content\": null, \"refusal\": \"I cannot.\"}", "stop");

    // Then
    assertThat(message.at("/content/0/text").asText()).isEqualTo("I cannot.");
    assertThat(message.path("stop_reason").asText()).isEqualTo("refusal");
  }

  private static JsonNode message(String message, String finish) throws IOException {
    String chat =
        "{\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":%s,\"finish_reason\":\"%s\"}]}"
            .formatted(message.strip(), finish);
    return json(Json.text(WholeMessage.of(Chats.answer(chat))));
  }

  private static JsonNode json(String json) throws IOException {
    return Json.mapper().readTree(json);
  }
}
