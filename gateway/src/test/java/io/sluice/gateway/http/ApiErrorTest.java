package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.http.MutableHttpResponse;
import io.sluice.common.protocol.ErrorKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ApiErrorTest {

  @ParameterizedTest
  @CsvSource({
    "ENGINE_ERROR, 502, false",
    "DEADLINE_EXCEEDED, 504, false",
    "WORKER_LOST, 422, false",
    "OVERLOADED, 429, true",
    "UNAVAILABLE, 503, true",
    "QUOTA_EXCEEDED, 429, true",
    "INVALID_REQUEST, 400,",
    "MODEL_NOT_FOUND, 404,",
  })
  void onlyWhatWasNotBegunIsToBeRetried(ErrorKind kind, int status, String retry) {
    // When
    MutableHttpResponse<byte[]> response = ApiError.of(kind, "why").toResponse();

    // Then
    assertThat(response.code()).isEqualTo(status);
    assertThat(response.getHeaders().get("x-should-retry")).isEqualTo(retry);
  }

  @ParameterizedTest
  @EnumSource
  void everyErrorHasAMessageATypeAndACode(ErrorKind kind) {
    assertThat(ApiError.of(kind, "why").toText())
        .matches(
            "\\{\"error\":\\{\"message\":\"why\",\"type\":\"[a-z_]+\",\"param\":null,\"code\":\"[a-z_]+\"}}");
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1", "1001, 2, 1001", "60000, 60, 60000", "3600000, 60, 60000"})
  void clientsAreNeverToldToWaitForMoreThanAMinute(long millis, String seconds, String told) {
    // When
    MutableHttpResponse<byte[]> response =
        ApiError.of(ErrorKind.OVERLOADED, "why").retryAfter(millis).toResponse();

    // Then
    assertThat(response.getHeaders().get("retry-after")).isEqualTo(seconds);
    assertThat(response.getHeaders().get("retry-after-ms")).isEqualTo(told);
  }
}
