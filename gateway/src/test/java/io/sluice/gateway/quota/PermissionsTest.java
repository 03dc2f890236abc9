package io.sluice.gateway.quota;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.gateway.access.KeyLimits;
import io.sluice.gateway.http.ApiException;
import io.sluice.producer.client.InferenceRequest;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PermissionsTest {
  private static final KeyLimits LIMITS = upTo(Priority.INTERACTIVE);

  @Test
  void whatAKeyAllowsIsAdmitted() {
    Permissions.check(request("m").tier("fast").priority(Priority.BULK).build(), LIMITS);
    Permissions.check(request("m").fallbackModel("none").build(), LIMITS);
  }

  @Test
  void whatAKeyDoesNotAllowIsRefused() {
    assertRefused(request("other"), "model other; allowed: m");
    assertRefused(request("m").fallbackModel("other"), "fallback model other; allowed: m");
    assertRefused(request("m").tier("precise"), "tier precise; allowed: fast");
    assertRefused(
        request("m").priority(Priority.URGENT), "priority urgent; the highest is interactive");
  }

  @ParameterizedTest
  @EnumSource(Priority.class)
  void aRequestThatNamesNoPriorityIsAdmitted(Priority highest) {
    // Given
    KeyLimits limits = upTo(highest);

    // When
    InferenceRequest request = request("m").priority(limits.defaultPriority()).build();

    // Then
    Permissions.check(request, limits);
    assertThat(request.priority())
        .isEqualTo(highest == Priority.BULK ? Priority.BULK : Priority.INTERACTIVE);
  }

  @Test
  void withoutALimitAPriorityThatIsNotNamedIsInteractive() {
    assertThat(KeyLimits.NONE.defaultPriority()).isEqualTo(Priority.INTERACTIVE);
  }

  @Test
  void timesAreWrittenAsOpenAiDoes() {
    assertThat(RateLimitHeaders.text(120)).isEqualTo("120ms");
    assertThat(RateLimitHeaders.text(1_000)).isEqualTo("1s");
    assertThat(RateLimitHeaders.text(360_000)).isEqualTo("6m0s");
  }

  private static KeyLimits upTo(Priority highest) {
    return new KeyLimits(
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalInt.empty(),
        List.of("m"),
        List.of("fast"),
        Optional.of(highest));
  }

  private static void assertRefused(InferenceRequest.Builder request, String reason) {
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> Permissions.check(request.build(), LIMITS))
        .withMessageContaining(reason)
        .satisfies(e -> assertThat(e.error().status()).isEqualTo(403));
  }

  private static InferenceRequest.Builder request(String model) {
    return InferenceRequest.of(
        Endpoint.CHAT_COMPLETIONS, "{\"model\":\"%s\"}".formatted(model).getBytes(UTF_8));
  }
}
