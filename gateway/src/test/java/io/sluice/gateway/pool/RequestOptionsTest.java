package io.sluice.gateway.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Priority;
import io.sluice.gateway.access.KeyLimits;
import io.sluice.gateway.http.ApiException;
import io.sluice.producer.client.InferenceRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestOptionsTest {
  private static final KeyLimits ONLY_BULK =
      limits(List.of(), List.of(), Optional.of(Priority.BULK));
  private static final KeyLimits FAST_OR_BALANCED =
      limits(List.of(), List.of("fast", "balanced"), Optional.empty());
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

  private final MutableHttpRequest<?> http = HttpRequest.GET("/");

  @Test
  void headersBecomeOptionsOfTheRequest() throws Exception {
    // Given
    http.header("x-sluice-priority", "urgent")
        .header("x-sluice-timeout-ms", "2500")
        .header("x-sluice-slo-ttft-ms", "300")
        .header("x-sluice-tier", "precise")
        .header("x-sluice-fallback-model", "none")
        .header("x-sluice-conversation", "talk-1");

    // When
    InferenceRequest request = request("{}");

    // Then
    assertThat(request.priority()).isEqualTo(Priority.URGENT);
    assertThat(request.timeout()).contains(Duration.ofMillis(2_500));
    assertThat(request.sloTtft()).contains(Duration.ofMillis(300));
    assertThat(request.tier()).contains("precise");
    assertThat(request.fallbackModel()).contains("none");
    assertThat(request.conversationId()).contains("talk-1");
  }

  @Test
  void metadataDoesWhatHeadersDoAndAHeaderWins() throws Exception {
    // Given
    http.header("x-sluice-tier", "fast");

    // When
    InferenceRequest request =
        request(
            """
            {"metadata":{"sluice_priority":"bulk","sluice_tier":"precise","sluice_timeout_ms":"9000"}}""");

    // Then
    assertThat(request.priority()).isEqualTo(Priority.BULK);
    assertThat(request.tier()).contains("fast");
    assertThat(request.timeout()).contains(Duration.ofSeconds(9));
  }

  @Test
  void metadataMayHoldNumbersButNoObjects() throws Exception {
    assertThat(request("{\"metadata\":{\"sluice_timeout_ms\":5000}}").timeout())
        .contains(Duration.ofSeconds(5));
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> request("{\"metadata\":{\"sluice_timeout_ms\":[5000]}}"))
        .withMessage("metadata.sluice_timeout_ms must be a text");
  }

  @ParameterizedTest
  @CsvSource({
    "flex, BULK",
    "priority, URGENT",
    "auto, INTERACTIVE",
    "default, INTERACTIVE",
    "scale, INTERACTIVE"
  })
  void theServiceTierIsAPriority(String tier, Priority priority) throws Exception {
    // When
    InferenceRequest request = request("{\"service_tier\":\"" + tier + "\"}");

    // Then
    assertThat(request.priority()).isEqualTo(priority);
    assertThat(request.timeout())
        .contains(priority == Priority.BULK ? Duration.ofHours(24) : DEFAULT_TIMEOUT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x-sluice-priority: soon",
        "x-sluice-timeout-ms: 0",
        "x-sluice-timeout-ms: 1.5",
        "x-sluice-timeout-ms: 604800001",
        "x-sluice-timeout-ms: 9223372036854775807",
        "x-sluice-timeout-ms: 9223372036854775808",
        "x-sluice-slo-ttft-ms: -1",
        "x-sluice-slo-ttft-ms: 604800001"
      })
  void aWrongOptionIsRefusedByItsName(String header) {
    // Given
    String[] parts = header.split(": ");
    http.header(parts[0], parts[1]);

    // Then
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> request("{}"))
        .satisfies(
            e -> {
              assertThat(e.error().status()).isEqualTo(400);
              assertThat(e.error().param()).contains(parts[0]);
            });
  }

  @Test
  void aRequestThatNamesNoPriorityHasThatOfItsCaller() throws Exception {
    // When
    InferenceRequest unnamed = request("{\"service_tier\":\"auto\"}", ONLY_BULK);
    InferenceRequest named = request("{\"service_tier\":\"priority\"}", ONLY_BULK);

    // Then
    assertThat(unnamed.priority()).isEqualTo(Priority.BULK);
    assertThat(unnamed.timeout()).contains(Duration.ofHours(24));
    assertThat(named.priority()).isEqualTo(Priority.URGENT);
  }

  @Test
  void aRequestThatIsSentAgainKeepsItsPriority() throws Exception {
    // Given
    http.header("x-sluice-tier", "fast");
    InferenceRequest first = request("{}", ONLY_BULK);
    HttpHeaders kept = CallerHeaders.restored(CallerHeaders.of(http.getHeaders(), first));

    // When
    InferenceRequest again = request("{}", kept, KeyLimits.NONE);

    // Then
    assertThat(again.priority()).isEqualTo(Priority.BULK);
    assertThat(again.tier()).contains("fast");
  }

  @Test
  void aRequestThatNamesNoTierHasTheFirstOfItsKey() throws Exception {
    // When
    InferenceRequest unnamed = request("{}", FAST_OR_BALANCED);
    HttpHeaders kept = CallerHeaders.restored(CallerHeaders.of(http.getHeaders(), unnamed));
    http.header("x-sluice-tier", "balanced");
    InferenceRequest named = request("{}", FAST_OR_BALANCED);

    // Then
    assertThat(unnamed.tier()).contains("fast");
    assertThat(request("{}", kept, KeyLimits.NONE).tier()).contains("fast");
    assertThat(named.tier()).contains("balanced");
  }

  @Test
  void thePoolDoesNotChooseAnotherModelForAKeyWithModels() throws Exception {
    // Given
    KeyLimits limited = limits(List.of("m", "n"), List.of(), Optional.empty());

    // When
    InferenceRequest unnamed = request("{}", limited);
    HttpHeaders kept = CallerHeaders.restored(CallerHeaders.of(http.getHeaders(), unnamed));
    http.header("x-sluice-fallback-model", "n");
    InferenceRequest named = request("{}", limited);

    // Then
    assertThat(unnamed.fallbackModel()).contains("none");
    assertThat(request("{}", kept, KeyLimits.NONE).fallbackModel()).contains("none");
    assertThat(named.fallbackModel()).contains("n");
  }

  @Test
  void aTimeMayBeAsLongAsAWeek() throws Exception {
    // Given
    http.header("x-sluice-timeout-ms", "604800000").header("x-sluice-slo-ttft-ms", "604800000");

    // When
    InferenceRequest request = request("{}");

    // Then
    assertThat(request.timeout()).contains(Duration.ofDays(7));
    assertThat(request.sloTtft()).contains(Duration.ofDays(7));
  }

  private static KeyLimits limits(
      List<String> models, List<String> tiers, Optional<Priority> maxPriority) {
    return new KeyLimits(
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalInt.empty(),
        models,
        tiers,
        maxPriority);
  }

  private InferenceRequest request(String body) throws Exception {
    return request(body, KeyLimits.NONE);
  }

  private InferenceRequest request(String body, KeyLimits limits) throws Exception {
    return request(body, http.getHeaders(), limits);
  }

  private static InferenceRequest request(String body, HttpHeaders headers, KeyLimits limits)
      throws Exception {
    InferenceRequest.Builder builder =
        InferenceRequest.of(
            Endpoint.CHAT_COMPLETIONS,
            "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}"
                .getBytes(UTF_8));
    new RequestOptions(headers, Json.mapper().readTree(body))
        .applyTo(builder, limits, DEFAULT_TIMEOUT);
    return builder.build();
  }
}
