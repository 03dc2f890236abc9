package io.sluice.gateway.messages.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.http.ApiError;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MessageErrorTest {

  @ParameterizedTest
  @CsvSource({
    "INVALID_REQUEST,invalid_request_error",
    "WORKER_LOST,invalid_request_error",
    "MODEL_NOT_FOUND,not_found_error",
    "OVERLOADED,overloaded_error",
    "QUOTA_EXCEEDED,rate_limit_error",
    "ENGINE_ERROR,api_error",
    "UNAVAILABLE,overloaded_error",
    "DEADLINE_EXCEEDED,timeout_error",
    "CANCELLED,invalid_request_error",
    "REPLY_UNREADABLE,api_error",
    "REPLY_TRUNCATED,invalid_request_error"
  })
  void eachErrorHasATypeThatClientsKnow(ErrorKind kind, String type) {
    assertThat(
            MessageError.of(ApiError.of(kind, "why"), Optional.of("id")).at("/error/type").asText())
        .isEqualTo(type);
  }

  @ParameterizedTest
  @CsvSource({
    "401,authentication_error",
    "413,request_too_large",
    "429,rate_limit_error",
    "500,api_error",
    "405,invalid_request_error"
  })
  void anErrorThatIsNotOfThePoolHasTheTypeOfItsStatus(int status, String type) {
    assertThat(
            MessageError.of(ApiError.ofStatus(status, "code", "why"), Optional.empty())
                .at("/error/type")
                .asText())
        .isEqualTo(type);
  }

  @Test
  void theRequestIsNamedIfItIsKnown() {
    // Given
    ApiError error = ApiError.of(ErrorKind.ENGINE_ERROR, "why");

    // Then
    assertThat(MessageError.of(error, Optional.of("id")).path("request_id").asText())
        .isEqualTo("id");
    assertThat(MessageError.of(error, Optional.empty()).has("request_id")).isFalse();
  }
}
