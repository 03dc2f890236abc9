package io.sluice.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every dialect keeps, and what each is known by. */
class EngineDialectTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "{'id':'m','owned_by':'vllm','max_model_len':2048}               | vllm     | 2048",
        "{'id':'m','owned_by':'vllm','max_model_len':null}               | vllm     | -",
        "{'id':'m','owned_by':'sglang','max_model_len':4096}             | sglang   | 4096",
        "{'id':'m','owned_by':'llamacpp','meta':{'n_ctx':512}}           | llamacpp | 512",
        "{'id':'m','owned_by':'organization-owner'}                      | openai   | -",
        "{'id':'m','max_model_len':0}                                    | openai   | -",
        "{}                                                              | openai   | -"
      })
  void anEngineIsKnownByTheCardOfItsModel(String card, String name, Integer context)
      throws IOException {
    JsonNode json = json(card);

    EngineDialect dialect = EngineDialects.of(json);

    assertThat(dialect.name()).isEqualTo(name);
    assertThat(dialect.context(json))
        .isEqualTo(context == null ? OptionalInt.empty() : OptionalInt.of(context));
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void aStreamTellsItsUsageAndKeepsTheCallersOptions(EngineDialect dialect) throws IOException {
    ObjectNode plain = (ObjectNode) json("{'model':'m'}");
    ObjectNode withOptions = (ObjectNode) json("{'stream_options':{'mine':1},'stream':false}");

    dialect.requestStream(plain);
    dialect.requestStream(withOptions);

    assertThat(plain.path("stream").asBoolean()).isTrue();
    assertThat(plain.at("/stream_options/include_usage").asBoolean()).isTrue();
    assertThat(withOptions.path("stream").asBoolean()).isTrue();
    assertThat(withOptions.at("/stream_options/mine").asInt()).isEqualTo(1);
  }

  /** OpenAI itself refuses what it does not know. */
  @Test
  void aStrangerIsAskedForNothingBeyondOpenAisInterface() throws IOException {
    ObjectNode body = (ObjectNode) json("{}");

    EngineDialects.OPENAI.requestStream(body);

    assertThat(body).isEqualTo(json("{'stream':true,'stream_options':{'include_usage':true}}"));
    assertThat(EngineDialects.OPENAI.continuesChats()).isFalse();
    assertThat(EngineDialects.OPENAI.givesTokenIds()).isFalse();
    assertThat(EngineDialects.OPENAI.tellsOutputLimit()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void itsMetricsAreItsOwn(EngineDialect dialect) {
    List<String> names = dialect.metrics().values().stream().flatMap(List::stream).toList();

    assertThat(names)
        .doesNotHaveDuplicates()
        .allMatch(
            name ->
                name.startsWith(dialect.name() + ":") || name.equals("process_start_time_seconds"));
  }

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
  void anErrorIsUnderstoodWhoeverSaidIt(String error, ErrorKind kind, boolean isLimit)
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

  static List<EngineDialect> dialects() {
    return EngineDialects.all();
  }

  private static JsonNode json(String text) throws IOException {
    return Json.tree(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }
}
