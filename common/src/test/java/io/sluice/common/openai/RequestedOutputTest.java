package io.sluice.common.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestedOutputTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "{}                                              | -  | 16",
        "{'max_tokens':7}                                | 7  | 7",
        "{'max_tokens':0}                                | 0  | 0",
        "{'max_tokens':null}                             | -  | -",
        "{'max_completion_tokens':5}                     | 5  | 16",
        "{'max_completion_tokens':5,'max_tokens':7}      | 5  | 7",
        "{'max_completion_tokens':null,'max_tokens':7}   | 7  | 7",
        "{'max_tokens':'7'}                              | -  | -",
        "{'max_tokens':7.5}                              | -  | -",
        "{'max_tokens':99999999999}                      | -  | -"
      })
  void theFirstFieldThatIsSetCounts(String body, Integer chat, Integer completion)
      throws IOException {
    JsonNode json = Json.tree(body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));

    assertThat(boxed(json, Endpoint.CHAT_COMPLETIONS)).isEqualTo(chat);
    assertThat(boxed(json, Endpoint.COMPLETIONS)).isEqualTo(completion);
  }

  private static Integer boxed(JsonNode body, Endpoint endpoint) {
    var limit = RequestedOutput.of(body, endpoint);
    return limit.isPresent() ? limit.getAsInt() : null;
  }
}
