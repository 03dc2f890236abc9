package io.sluice.gateway.responses;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.AnswerBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class BatchedResponsesTest {
  private static final String ID = "0190a6b8-0000-7000-8000-000000000000";

  @Test
  void aWholeAnswerBecomesAResponse() {
    // Given an answer with reasoning, text and two calls
    String chat =
        """
        {'object':'chat.completion','created':1790000000,'choices':[{'index':0,'message':
        {'role':'assistant','reasoning':'hm','content':'both','tool_calls':[
        {'id':'c1','type':'function','function':{'name':'f','arguments':'{}'}},
        {'id':'c2','type':'function','function':{'name':'g','arguments':'[]'}}]},
        'finish_reason':'tool_calls'}],'usage':{'prompt_tokens':3,'completion_tokens':4}}""";

    // When
    JsonNode response =
        response("{'model':'m','input':'x','background':true,'stream':true}", chat, "tool_calls");

    // Then
    assertThat(response.path("object").asText()).isEqualTo("response");
    assertThat(response.path("id").asText()).isEqualTo("resp_" + ID);
    assertThat(response.path("status").asText()).isEqualTo("completed");
    assertThat(response.path("store").asBoolean()).isFalse();
    assertThat(response.path("background").asBoolean()).isFalse();
    assertThat(response.path("created_at").asLong()).isEqualTo(1_790_000_000);
    assertThat(response.path("completed_at").asLong()).isEqualTo(1_790_000_002);
    assertThat(response.at("/usage/total_tokens").asInt()).isEqualTo(7);
    JsonNode output = response.path("output");
    assertThat(output.findValuesAsText("type"))
        .containsExactly(
            "reasoning",
            "reasoning_text",
            "message",
            "output_text",
            "function_call",
            "function_call");
    assertThat(output.path(1).at("/content/0/text").asText()).isEqualTo("both");
    assertThat(output.path(2).path("name").asText()).isEqualTo("f");
    assertThat(output.path(3).path("call_id").asText()).isEqualTo("c2");
    assertThat(output.path(3).path("arguments").asText()).isEqualTo("[]");
  }

  @Test
  void anAnswerThatIsCutOffIsIncomplete() {
    JsonNode response =
        response(
            "{'model':'m','input':'x'}",
            "{'choices':[{'message':{'content':'half'},'finish_reason':'length'}]}",
            "length");
    assertThat(response.path("status").asText()).isEqualTo("incomplete");
    assertThat(response.at("/incomplete_details/reason").asText()).isEqualTo("max_output_tokens");
    assertThat(response.at("/output/0/content/0/text").asText()).isEqualTo("half");
  }

  @Test
  void aStrangeAnswerIsAResponseWithoutOutput() {
    assertThat(
            response("{'model':'m','input':'x'}", "{'choices':[7,{'message':1}]}", "stop")
                .path("output"))
        .isEmpty();
  }

  private static JsonNode response(String body, String chat, String finishReason) {
    Answer answer =
        AnswerBuilder.builder()
            .requestId(ID)
            .text("")
            .finishReason(finishReason)
            .usage(Usage.of(3, 4))
            .json(chat.replace('\'', '"'))
            .fallback(false)
            .attempts(1)
            .firstTokenMillis(OptionalLong.empty())
            .latencyMillis(OptionalLong.of(2_600))
            .worker(Optional.of("w"))
            .model(Optional.of("m"))
            .build();
    byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    return Json.known(BatchedResponses.response(bytes, Caller.ofTenant("acme"), answer));
  }
}
