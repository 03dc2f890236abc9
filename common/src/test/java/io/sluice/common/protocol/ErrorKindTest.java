package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.ErrorKind.Cause;
import java.io.IOException;
import java.util.Optional;
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

  /** A stored result has the status of its error, and no more. */
  @ParameterizedTest
  @EnumSource(ErrorKind.class)
  void kindsOfOneStatusAreSettledAlike(ErrorKind kind) {
    assertThat(ErrorKind.isSettled(kind.status())).isEqualTo(kind.cause() == Cause.REQUEST);
  }

  @ParameterizedTest
  @CsvSource({"200, false", "401, true", "413, true", "418, true", "500, false", "0, false"})
  void aStatusOfNoKindIsSettledIfTheClientIsAtFault(int status, boolean isSettled) {
    assertThat(ErrorKind.isSettled(status)).isEqualTo(isSettled);
  }

  @Test
  void onlyWhatItsSenderKnowsLeavesNoDeadLetter() {
    assertThat(ErrorKind.values())
        .filteredOn(kind -> !kind.leavesDeadLetter(false))
        .containsExactly(ErrorKind.OVERLOADED, ErrorKind.CANCELLED, ErrorKind.QUOTA_EXCEEDED);
    assertThat(ErrorKind.values())
        .filteredOn(kind -> !kind.leavesDeadLetter(true))
        .containsExactly(ErrorKind.CANCELLED);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "INVALID_REQUEST, 'max_tokens' must be a number, max_tokens",
        "INVALID_REQUEST, the 'body' is not JSON,",
        "MODEL_NOT_FOUND, 'x' is no model, model",
        "CONTEXT_LENGTH_EXCEEDED, too long, messages",
        "ENGINE_ERROR, 'x' failed,"
      })
  void anErrorNamesTheFieldAtFault(ErrorKind kind, String message, String param) {
    assertThat(kind.param(message)).isEqualTo(Optional.ofNullable(param));
  }

  @Test
  void anUnknownCodeIsNotAKind() {
    assertThat(ErrorKind.parse("ENGINE_ERROR")).isEmpty();
    assertThat(ErrorKind.parse("")).isEmpty();
  }
}
