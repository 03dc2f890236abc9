package io.sluice.worker.resume;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.dialect.EngineDialect;
import io.sluice.worker.engine.dialect.EngineDialects;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EngineBodyTest {

  @Test
  void aCompletionWithoutALimitGetsTheOneThatAResumeReckonsWith() throws Exception {
    JsonNode sent = sent(Endpoint.COMPLETIONS, "{\"prompt\":\"a\"}");

    assertThat(sent.path("max_tokens").asInt()).isEqualTo(16);
  }

  @Test
  void aLimitOfTheCallersAndAChatStayAsTheyAre() throws Exception {
    assertThat(sent(Endpoint.COMPLETIONS, "{\"prompt\":\"a\",\"max_tokens\":9}").path("max_tokens"))
        .hasToString("9");
    assertThat(
            sent(Endpoint.COMPLETIONS, "{\"prompt\":\"a\",\"max_tokens\":null}")
                .path("max_tokens")
                .isNull())
        .isTrue();
    assertThat(sent(Endpoint.CHAT_COMPLETIONS, "{\"messages\":[]}").has("max_tokens")).isFalse();
  }

  @Test
  void aStreamTellsItsUsageAndKeepsTheCallersOptions() throws Exception {
    String body = "{\"messages\":[],\"stream\":false,\"stream_options\":{\"mine\":1}}";

    assertThat(sent(Endpoint.CHAT_COMPLETIONS, "{\"messages\":[]}").toString())
        .isEqualTo("{\"messages\":[],\"stream\":true,\"stream_options\":{\"include_usage\":true}}");
    assertThat(sent(Endpoint.CHAT_COMPLETIONS, body, EngineDialects.VLLM).toString())
        .isEqualTo(
            "{\"messages\":[],\"stream\":true,\"stream_options\":{\"mine\":1,\"include_usage\":true,\"continuous_usage_stats\":true}}");
  }

  private static JsonNode sent(Endpoint endpoint, String body) throws IOException {
    return sent(endpoint, body, EngineDialects.OPENAI);
  }

  private static JsonNode sent(Endpoint endpoint, String body, EngineDialect dialect)
      throws IOException {
    return Json.tree(
        EngineBody.of(
            OpenAiRequest.parse(endpoint, body.getBytes(StandardCharsets.UTF_8)),
            dialect,
            Optional.empty(),
            Continuation.fromStart(),
            IdUse.NONE));
  }
}
