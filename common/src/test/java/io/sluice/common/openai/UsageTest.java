package io.sluice.common.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsageTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'prompt_tokens':7,'completion_tokens':5,'total_tokens':12,'prompt_tokens_details':{'cached_tokens':4},'completion_tokens_details':{'reasoning_tokens':3}}",
        // SGLang
        "{'prompt_tokens':7,'completion_tokens':5,'total_tokens':12,'prompt_tokens_details':{'cached_tokens':4},'reasoning_tokens':3}"
      })
  void detailsOfEnginesAreKept(String json) {
    Usage usage = Usage.parse(json(json)).orElseThrow();

    assertThat(usage).isEqualTo(new Usage(7, 5, OptionalInt.of(4), OptionalInt.of(3)));
    assertThat(usage.toJson(0))
        .isEqualTo(
            json(
                "{'prompt_tokens':7,'total_tokens':12,'completion_tokens':5,'prompt_tokens_details':{'cached_tokens':4},'completion_tokens_details':{'reasoning_tokens':3}}"));
  }

  @Test
  void tokensThatWereMadeAgainAreADetailToo() {
    var usage = new Usage(7, 5, OptionalInt.empty(), OptionalInt.of(3));

    assertThat(usage.toJson(2).path("completion_tokens_details"))
        .isEqualTo(json("{'reasoning_tokens':3,'recomputed_tokens':2}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "{}", "5", "{'completion_tokens':null}"})
  void anythingElseIsNotAUsage(String json) {
    assertThat(Usage.parse(json(json))).isEmpty();
  }

  @Test
  void detailsThatAreNullAreAbsent() {
    Usage usage =
        Usage.parse(
                json(
                    "{'prompt_tokens':7,'completion_tokens':5,'prompt_tokens_details':null,'completion_tokens_details':null}"))
            .orElseThrow();

    assertThat(usage).isEqualTo(Usage.of(7, 5));
    assertThat(usage.toJson(0).properties()).hasSize(3);
  }

  private static JsonNode json(String json) {
    return Json.known(json.replace('\'', '"'));
  }
}
