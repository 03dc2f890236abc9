package io.sluice.common.openai;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Json;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReasoningTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                           | ''",
        "{'reasoning':null,'reasoning_content':null}  | ''",
        "{'reasoning':'a'}                            | a",
        "{'reasoning_content':'b'}                    | b",
        "{'reasoning':'a','reasoning_content':'a'}    | a",
        "{'reasoning':'','reasoning_content':'b'}     | b",
        "{'reasoning':['x'],'reasoning_content':'b'}  | b",
        "{'reasoning':5}                              | ''"
      })
  void theFirstFieldWithATextApplies(String message, String reasoning) {
    assertThat(Reasoning.of(Json.known(message.replace('\'', '"')))).isEqualTo(reasoning);
  }
}
