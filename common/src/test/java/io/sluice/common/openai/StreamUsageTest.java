package io.sluice.common.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamUsageTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                                                          | NOWHERE",
        "{'stream_options':null}                                                     | NOWHERE",
        "{'stream_options':{'include_usage':false,'continuous_usage_stats':true}}    | NOWHERE",
        "{'stream_options':{'continuous_usage_stats':true}}                          | NOWHERE",
        "{'stream_options':{'include_usage':true}}                                   | AT_THE_END",
        "{'stream_options':{'include_usage':true,'continuous_usage_stats':true}}     | IN_EACH_CHUNK"
      })
  void aRequestSaysWhereItWantsTheUsage(String body, StreamUsage usage) {
    var request = new OpenAiRequest(Endpoint.CHAT_COMPLETIONS, json(body));

    assertThat(request.streamUsage()).isEqualTo(usage);
  }

  @Test
  void otherOptionsAreKept() {
    ObjectNode body = json("{'stream':false,'stream_options':{'more':1}}");

    ObjectNode options = StreamUsage.askFor(body);

    assertThat(body)
        .isEqualTo(json("{'stream':true,'stream_options':{'more':1,'include_usage':true}}"));
    assertThat(options).isSameAs(body.path("stream_options"));
  }

  @Test
  void optionsOfAnotherTypeAreReplaced() {
    ObjectNode body = json("{'stream_options':5}");

    StreamUsage.askFor(body);

    assertThat(body).isEqualTo(json("{'stream_options':{'include_usage':true},'stream':true}"));
  }

  private static ObjectNode json(String json) {
    return (ObjectNode) Json.known(json.replace('\'', '"'));
  }
}
