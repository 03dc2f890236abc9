package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorKindTest {

  @ParameterizedTest
  @CsvSource({
    "invalid_request, 400",
    "model_not_found, 404",
    "context_length_exceeded, 400",
    "deadline_exceeded, 504",
    "overloaded, 429",
    "engine_error, 502",
    "worker_lost, 422",
    "cancelled, 499",
    "quota_exceeded, 429",
    "reply_truncated, 410",
    "request_not_found, 404"
  })
  void codesAndStatusesAreThoseOfTheProtocol(String code, int status) {
    assertThat(ErrorKind.parse(code).orElseThrow().status()).isEqualTo(status);
  }

  @ParameterizedTest
  @EnumSource(ErrorKind.class)
  void everyErrorHasTheShapeOfOpenAi(ErrorKind kind) throws IOException {
    // When
    JsonNode json = Json.tree(kind.toJson("it failed"));

    // Then
    JsonNode error = json.path("error");
    assertThat(json.size()).isOne();
    assertThat(error.path("message").asText()).isEqualTo("it failed");
    assertThat(error.path("type").asText()).endsWith("_error");
    assertThat(error.path("code").asText()).isEqualTo(kind.code());
    assertThat(error.path("status").asInt()).isEqualTo(kind.status());
    assertThat(error.has("retry_after_ms")).isFalse();
  }

  @Test
  void anOverloadSaysWhenToTryAgain() throws IOException {
    // When
    JsonNode json = Json.tree(ErrorKind.OVERLOADED.toJson("full", OptionalLong.of(1500)));

    // Then
    assertThat(json.path("error").path("retry_after_ms").asLong()).isEqualTo(1500);
  }

  @Property
  void anyMessageIsCarriedAsItIs(@ForAll String message) throws IOException {
    // When
    JsonNode json = Json.tree(ErrorKind.ENGINE_ERROR.toJson(message));

    // Then
    assertThat(json.path("error").path("message").asText()).isEqualTo(message);
  }

  @Test
  void anUnknownCodeIsNoKind() {
    assertThat(ErrorKind.parse("ENGINE_ERROR")).isEmpty();
    assertThat(ErrorKind.parse("")).isEmpty();
  }
}
