package io.sluice.worker.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.EngineFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorAnswerTest {

  /** Whoever said it: an engine may not say who it is. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'param':'input_tokens','code':400}                    | CONTEXT_LENGTH_EXCEEDED | false",
        "{'param':'input_text','code':400}                      | CONTEXT_LENGTH_EXCEEDED | false",
        "{'type':'exceed_context_size_error','code':400}        | CONTEXT_LENGTH_EXCEEDED | false",
        "{'code':'context_length_exceeded','param':'messages'}  | CONTEXT_LENGTH_EXCEEDED | false",
        "{'param':'max_tokens','code':400}                      | INVALID_REQUEST         | true",
        "{'param':'max_tokens','code':'integer_below_min'}      | INVALID_REQUEST         | false",
        "{'param':'temperature','code':400}                     | INVALID_REQUEST         | false"
      })
  void anErrorOfAnyEngineIsUnderstood(String error, ErrorKind kind, boolean isLimit)
      throws IOException {
    byte[] body = Json.bytes(Json.mapper().createObjectNode().set("error", json(error)));

    assertThat(ErrorAnswer.ofResponse(400, body, Optional.empty()))
        .isInstanceOfSatisfying(
            EngineFailure.Rejected.class,
            rejected -> {
              assertThat(rejected.kind()).isEqualTo(kind);
              assertThat(rejected.blamesLimit()).isEqualTo(isLimit);
            });
  }

  private static JsonNode json(String text) throws IOException {
    return Json.tree(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }
}
