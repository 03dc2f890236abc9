package io.sluice.gateway.messages.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.http.ApiException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChatBodyTest {

  @Test
  void theFieldsOfAMessageBecomeThoseOfAChat() throws IOException {
    // When
    JsonNode chat =
        chat(
            """
            {"model": "m", "max_tokens": 7, "temperature": 0.5, "top_p": 0.9, "top_k": 3,
             "stop_sequences": ["END"], "stream": true, "system": "Be brief.",
             "metadata": {"user_id": "u", "sluice_tier": "fast"}, "service_tier": "auto",
             "context_management": {"edits": []},
             "messages": [{"role": "user", "content": "Hi"}]}
            """);

    // Then
    assertThat(chat)
        .isEqualTo(
            json(
                """
                {"model": "m",
                 "messages": [{"role": "system", "content": "Be brief."},
                              {"role": "user", "content": "Hi"}],
                 "max_tokens": 7, "temperature": 0.5, "top_p": 0.9, "top_k": 3, "stop": ["END"],
                 "stream": true, "stream_options": {"include_usage": true}, "user": "u",
                 "metadata": {"sluice_tier": "fast"}}
                """));
  }

  @Test
  void thePoolsServiceTiersArePassedOn() throws IOException {
    assertThat(chat(with("\"service_tier\": \"flex\"")).path("service_tier").asText())
        .isEqualTo("flex");
    assertThat(chat(with("\"service_tier\": \"standard_only\"")).has("service_tier")).isFalse();
  }

  @Test
  void allSystemTextsBecomeOneMessageWithoutTheBillingBlock() throws IOException {
    // When
    JsonNode messages =
        chat("""
            {"model": "m", "max_tokens": 1,
             "system": [{"type": "text", "text": "x-anthropic-billing-header: cch=1;"},
                        {"type": "text", "text": "One", "cache_control": {"type": "ephemeral"}},
                        {"type": "text", "text": "Two"}],
             "messages": [{"role": "user", "content": "Hi"}, {"role": "system", "content": "Three"}]}
            """)
            .path("messages");

    // Then
    assertThat(messages)
        .isEqualTo(
            json(
                """
                [{"role": "system", "content": "One\\nTwo\\nThree"},
                 {"role": "user", "content": "Hi"}]
                """));
  }

  @Test
  void textsAndImagesBecomeTheirParts() throws IOException {
    // When
    JsonNode messages =
        messages(
            """
            [{"role": "user", "content": [
               {"type": "text", "text": "What is this?"},
               {"type": "image", "source":
                 {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
               {"type": "image", "source": {"type": "url", "url": "https://e.org/a.png"}}]},
             {"role": "assistant", "content": [{"type": "text", "text": "A cat."}]}]
            """);

    // Then
    assertThat(messages)
        .isEqualTo(
            json(
                """
                [{"role": "user", "content": [
                   {"type": "text", "text": "What is this?"},
                   {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                   {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}]},
                 {"role": "assistant", "content": "A cat."}]
                """));
  }

  @Test
  void callsAndTheirResultsBecomeMessagesOfTheirOwn() throws IOException {
    // When
    JsonNode messages =
        messages(
            """
            [{"role": "assistant", "content": [
               {"type": "thinking", "thinking": "Two cities.", "signature": "s"},
               {"type": "redacted_thinking", "data": "x"},
               {"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Rome"}},
               {"type": "tool_use", "id": "b", "name": "weather", "input": {}}]},
             {"role": "user", "content": [
               {"type": "text", "text": "And now?"},
               {"type": "tool_result", "tool_use_id": "a", "content": [
                 {"type": "text", "text": "Rain"}, {"type": "text", "text": "12 degrees"},
                 {"type": "image", "source": {"type": "url", "url": "https://e.org/map"}}]},
               {"type": "tool_result", "tool_use_id": "b", "content": "no city",
                "is_error": true}]}]
            """);

    // Then
    assertThat(messages)
        .isEqualTo(
            json(
                """
                [{"role": "assistant", "content": null, "reasoning": "Two cities.", "tool_calls": [
                   {"id": "a", "type": "function",
                    "function": {"name": "weather", "arguments": "{\\"city\\":\\"Rome\\"}"}},
                   {"id": "b", "type": "function",
                    "function": {"name": "weather", "arguments": "{}"}}]},
                 {"role": "tool", "tool_call_id": "a", "content": "Rain\\n12 degrees"},
                 {"role": "tool", "tool_call_id": "b", "content": "Error: no city"},
                 {"role": "user", "content": [
                   {"type": "text", "text": "And now?"},
                   {"type": "image_url", "image_url": {"url": "https://e.org/map"}}]}]
                """));
  }

  @Test
  void aTurnOfResultsOnlyHasNoMessageOfTheUser() throws IOException {
    // When
    JsonNode messages =
        messages(
            """
            [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}]
            """);

    // Then
    assertThat(messages)
        .isEqualTo(json("[{\"role\": \"tool\", \"tool_call_id\": \"a\", \"content\": \"\"}]"));
  }

  @Test
  void toolsBecomeFunctions() throws IOException {
    // When
    JsonNode chat =
        chat(
            with(
                """
                "tools": [{"name": "weather", "description": "Of a city", "type": "custom",
                           "input_schema": {"type": "object"}}],
                "tool_choice": {"type": "tool", "name": "weather",
                                "disable_parallel_tool_use": true}
                """));

    // Then
    assertThat(chat.path("tools"))
        .isEqualTo(
            json(
                """
                [{"type": "function", "function": {"name": "weather", "description": "Of a city",
                  "parameters": {"type": "object"}}}]
                """));
    assertThat(chat.path("tool_choice"))
        .isEqualTo(json("{\"type\": \"function\", \"function\": {\"name\": \"weather\"}}"));
    assertThat(chat.path("parallel_tool_calls").booleanValue()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"auto,auto", "any,required", "none,none"})
  void theChoiceOfAToolHasAnotherName(String type, String expected) throws IOException {
    // When
    JsonNode chat =
        chat(
            with(
                """
                "tools": [{"name": "t", "input_schema": {}}], "tool_choice": {"type": "%s"}
                """
                    .formatted(type)));

    // Then
    assertThat(chat.path("tool_choice").asText()).isEqualTo(expected);
    assertThat(chat.has("parallel_tool_calls")).isFalse();
  }

  @Test
  void aChoiceAmongNoToolsIsLeftOut() throws IOException {
    // When
    JsonNode chat = chat(with("\"tools\": [], \"tool_choice\": {\"type\": \"auto\"}"));

    // Then
    assertThat(chat.has("tools")).isFalse();
    assertThat(chat.has("tool_choice")).isFalse();
  }

  @Test
  void thinkingIsSwitchedInTheChatTemplate() throws IOException {
    assertThat(
            chat(with("\"thinking\": {\"type\": \"enabled\", \"budget_tokens\": 1024}"))
                .path("chat_template_kwargs"))
        .isEqualTo(json("{\"enable_thinking\": true}"));
    assertThat(
            chat(with(
                    "\"thinking\": {\"type\": \"disabled\"}, \"chat_template_kwargs\": {\"a\": 1}"))
                .path("chat_template_kwargs"))
        .isEqualTo(json("{\"a\": 1, \"enable_thinking\": false}"));
    assertThat(chat(with("\"thinking\": {\"type\": \"adaptive\"}")).has("chat_template_kwargs"))
        .isFalse();
  }

  @Test
  void theFormOfTheOutputIsPassedOn() throws IOException {
    // When
    JsonNode chat =
        chat(
            with(
                """
                "output_config": {"effort": "low",
                                  "format": {"type": "json_schema", "schema": {"type": "object"}}}
                """));

    // Then
    assertThat(chat.path("reasoning_effort").asText()).isEqualTo("low");
    assertThat(chat.at("/response_format/json_schema/schema/type").asText()).isEqualTo("object");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"max_tokens":1,"messages":[]}                          | model is required: it must be a text
          {"model":"m","max_tokens":1}                            | messages is required: it must be an array
          {"model":"m","max_tokens":1,"messages":[]}              | messages must not be empty
          {"model":"m","max_tokens":1,"messages":["Hi"]}          | messages[0].role is required: it must be a text
          {"model":"m","max_tokens":1,"messages":[{"role":"tool"}]} | messages[0].role must be user, assistant or system
          {"model":"m","max_tokens":1,"messages":[{"role":"user","content":1}]} | messages[0].content must be an array
          {"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"video"}]}]} | messages[0].content[0].type must be text, image or tool_result
          {"model":"m","messages":[{"role":"user","content":"Hi"}]} | max_tokens is required: it must be a whole number of at least 1
          {"model":"m","max_tokens":0,"messages":[{"role":"user","content":"Hi"}]} | max_tokens must be a whole number of at least 1
          {"model":"m","max_tokens":1,"stream":"yes","messages":[{"role":"user","content":"Hi"}]} | stream must be true or false
          {"model":"m","max_tokens":1,"tools":[{"type":"bash_20250124","name":"bash"}],"messages":[{"role":"user","content":"Hi"}]} | tools[0].type must be custom: the pool runs no tools itself
          """)
  void aWrongFieldIsNamed(String body, String message) {
    assertThatThrownBy(() -> chat(body)).isInstanceOf(ApiException.class).hasMessage(message);
  }

  @Test
  void aPromptToCountNeedsNoLimitOfTokens() throws IOException {
    // When
    JsonNode chat =
        ChatBody.ofPrompt(
            json("{\"model\": \"m\", \"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]}"));

    // Then
    assertThat(chat.path("messages")).hasSize(1);
  }

  private static String with(String fields) {
    return "{\"model\": \"m\", \"max_tokens\": 1, %s,".formatted(fields)
        + "\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]}";
  }

  private static JsonNode messages(String messages) throws IOException {
    return chat("{\"model\": \"m\", \"max_tokens\": 1, \"messages\": " + messages + "}")
        .path("messages");
  }

  private static JsonNode chat(String body) throws IOException {
    return ChatBody.of(json(body));
  }

  private static JsonNode json(String json) throws IOException {
    return Json.mapper().readTree(json);
  }
}
