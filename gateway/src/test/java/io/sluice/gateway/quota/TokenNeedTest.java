package io.sluice.gateway.quota;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Endpoint;
import io.sluice.common.tokens.TokenEstimate;
import io.sluice.producer.client.InferenceRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenNeedTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'max_tokens':50 | 50",
        "'max_tokens':50,'n':4 | 200",
        "'max_completion_tokens':50,'max_tokens':9,'n':2 | 100",
        "'max_tokens':50,'n':4,'best_of':9 | 200",
        "'n':2 | 2048",
        "'max_tokens':50,'n':null | 50",
        "'max_tokens':50,'n':0 | 50",
        "'max_tokens':-1 | 0",
        "'max_tokens':2147483647,'n':2147483647 | 2147483647000000",
      })
  void aChatNeedsMaxTokensForEachChoice(String fields, long answer) {
    assertThat(need(Endpoint.CHAT_COMPLETIONS, fields).answer()).isEqualTo(answer);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'prompt':[1,2,3] | 16",
        "'prompt':[1,2,3],'max_tokens':50,'n':2 | 100",
        "'prompt':[1,2,3],'max_tokens':50,'n':2,'best_of':5 | 250",
        "'prompt':[[1,2],[3]],'max_tokens':50,'n':3 | 300",
        "'prompt':[],'max_tokens':50 | 50",
      })
  void aCompletionNeedsThemForEachPromptAndForWhatItDrops(String fields, long answer) {
    assertThat(need(Endpoint.COMPLETIONS, fields).answer()).isEqualTo(answer);
  }

  @Test
  void thePromptCountsOnce() {
    assertThat(need(Endpoint.COMPLETIONS, "'prompt':[1,2,3],'max_tokens':50,'n':2").total())
        .isEqualTo(103);
  }

  private static TokenNeed need(Endpoint endpoint, String fields) {
    byte[] body = ("{" + fields.replace('\'', '"') + "}").getBytes(UTF_8);
    return TokenNeed.of(InferenceRequest.of(endpoint, body).build(), new TokenEstimate());
  }
}
