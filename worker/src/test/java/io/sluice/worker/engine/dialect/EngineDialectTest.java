package io.sluice.worker.engine.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every dialect keeps, and which cards and errors need more than a fake engine shows. */
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
        "{'id':'m','owned_by':'llamacpp','max_model_len':256}            | llamacpp | 256",
        "{'id':'m','owned_by':'organization-owner'}                      | openai   | -",
        "{'id':'m','owned_by':'proxy','meta':{'n_ctx':512}}              | openai   | 512",
        "{'id':'m','max_model_len':0}                                    | openai   | -",
        "{}                                                              | openai   | -"
      })
  void anEngineIsKnownByTheCardOfItsModelAlsoIfItLacksSomething(
      String card, String name, Integer context) throws IOException {
    JsonNode json = json(card);

    EngineDialect dialect = EngineDialects.of(json);

    assertThat(dialect.name()).isEqualTo(name);
    assertThat(EngineDialects.context(json))
        .isEqualTo(context == null ? OptionalInt.empty() : OptionalInt.of(context));
  }

  /** What SGLang 0.5.23 says, and where it says it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        "Input length (2044 tokens) exceeds the maximum allowed length (2042 tokens). Use a shorter input.",
        "Requested token count exceeds the model's maximum context length of 2048 tokens. You requested a total of 2051 tokens"
      })
  void sglangRefusesAPromptThatIsTooLongInSeveralWays(String message) {
    JsonNode error = Json.mapper().createObjectNode().put("message", message);

    assertThat(EngineDialects.SGLANG.isPromptTooLong(error)).isTrue();
  }

  @Test
  void sglangRefusesALimitThatIsTooLargeByItself() {
    JsonNode error =
        Json.mapper()
            .createObjectNode()
            .put(
                "message",
                "max_completion_tokens is too large: 5000.This model supports at most 2048 completion tokens.");

    assertThat(EngineDialects.SGLANG.isPromptTooLong(error)).isFalse();
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void itsMetricsAreItsOwn(EngineDialect dialect) {
    MetricNames metrics = dialect.metrics();
    List<String> names =
        Stream.of(
                metrics.values().values().stream().flatMap(List::stream),
                metrics.kvBlocks().stream().map(MetricNames.BlocksInfo::name),
                metrics.loadedAdapters().stream().map(MetricNames.AdaptersInfo::name))
            .flatMap(all -> all)
            .toList();

    assertThat(metrics.all()).hasSameElementsAs(names);
    assertThat(names).doesNotHaveDuplicates();
    assertThat(EngineDialects.all())
        .filteredOn(other -> other != dialect)
        .flatExtracting(other -> other.metrics().all())
        .filteredOn(name -> !name.equals("process_start_time_seconds"))
        .noneMatch(names::contains);
  }

  static List<EngineDialect> dialects() {
    return EngineDialects.all();
  }

  private static JsonNode json(String text) throws IOException {
    return Json.tree(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }
}
