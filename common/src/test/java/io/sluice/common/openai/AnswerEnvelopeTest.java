package io.sluice.common.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.AnswerEnvelope.Origin;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnswerEnvelopeTest {
  private static final AnswerEnvelope OWN =
      new AnswerEnvelope(Endpoint.CHAT_COMPLETIONS, new Origin("own", 5), "m");

  @ParameterizedTest
  @CsvSource({
    "CHAT_COMPLETIONS, chat.completion.chunk, chat.completion",
    "COMPLETIONS,      text_completion,       text_completion"
  })
  void theTypeDependsOnTheEndpoint(Endpoint endpoint, String chunk, String whole) {
    AnswerEnvelope envelope = new AnswerEnvelope(endpoint, new Origin("a", 7), "m");
    ArrayNode choices = Json.mapper().createArrayNode();

    assertThat(Json.text(envelope.chunk(choices)).replace('"', '\''))
        .isEqualTo(
            "{'id':'a','object':'%s','created':7,'model':'m','choices':[]}".formatted(chunk));
    assertThat(envelope.whole(choices).path("object").asText()).isEqualTo(whole);
    assertThat(AnswerEnvelope.typeOfWhole(endpoint)).isEqualTo(whole);
    assertThat(AnswerEnvelope.endpointOf(envelope.chunk(choices))).isEqualTo(endpoint);
    assertThat(AnswerEnvelope.endpointOf(envelope.whole(choices))).isEqualTo(endpoint);
  }

  @Test
  void anObjectWithoutATypeIsThatOfAChat() {
    assertThat(AnswerEnvelope.endpointOf(json("{}"))).isEqualTo(Endpoint.CHAT_COMPLETIONS);
  }

  @Test
  void fieldsThatAnObjectLacksKeepTheirValues() {
    assertThat(OWN.of(json("{'id':'a','created':7,'model':'n'}")))
        .isEqualTo(new AnswerEnvelope(Endpoint.CHAT_COMPLETIONS, new Origin("a", 7), "n"));
    assertThat(OWN.of(json("{'id':null}"))).isEqualTo(OWN);
    assertThat(OWN.withModelOf(json("{'id':'a','model':'n'}")))
        .isEqualTo(new AnswerEnvelope(Endpoint.CHAT_COMPLETIONS, new Origin("own", 5), "n"));
  }

  @Test
  void anOriginHasAnId() {
    assertThat(Origin.parse(json("{'id':'a','created':7}"))).contains(new Origin("a", 7));
    assertThat(Origin.parse(json("{'id':'a'}"))).contains(new Origin("a", 0));
    assertThat(Origin.parse(json("{'created':7}"))).isEmpty();
    assertThat(Origin.parse(json("{'id':null}"))).isEmpty();
  }

  @Test
  void otherFieldsWithAValueAreExtra() {
    assertThat(
            AnswerEnvelope.extraFields(
                json(
                    "{'id':'a','object':'x','created':7,'model':'m','choices':[],'usage':{},'system_fingerprint':'f','service_tier':null}")))
        .isEqualTo(json("{'system_fingerprint':'f'}"));
  }

  private static ObjectNode json(String json) {
    return (ObjectNode) Json.known(json.replace('\'', '"'));
  }
}
