package io.sluice.gateway.responses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sluice.common.protocol.Json;
import io.sluice.gateway.responses.record.CreatedResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecoveryTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_790_000_000);

  private final List<CreatedResponse> sent = new ArrayList<>();
  private final Recovery recovery = new Recovery(sent::add, Clock.fixed(NOW, ZoneOffset.UTC));

  @Test
  void aRequestWithoutRepliesIsSentAgainOnce() throws Exception {
    // Given
    CreatedResponse created = created(NOW.minusSeconds(11), NOW.plusSeconds(60));

    // When
    recovery.resume(created);
    recovery.resume(created);

    // Then
    assertThat(sent).containsExactly(created);
  }

  @Test
  void aSendingThatFailsIsTriedAgain() throws Exception {
    // Given
    CreatedResponse created = created(NOW.minusSeconds(11), NOW.plusSeconds(60));
    List<CreatedResponse> tried = new ArrayList<>();
    Recovery failing =
        new Recovery(
            response -> {
              tried.add(response);
              if (tried.size() == 1) {
                throw new IllegalStateException("Kafka is away");
              }
            },
            Clock.fixed(NOW, ZoneOffset.UTC));
    assertThatIllegalStateException().isThrownBy(() -> failing.resume(created));

    // When
    failing.resume(created);
    failing.resume(created);

    // Then
    assertThat(tried).hasSize(2);
  }

  @Test
  void aRequestThatMayJustBeSentIsLeftAlone() throws Exception {
    recovery.resume(created(NOW.minusSeconds(9), NOW.plusSeconds(60)));

    assertThat(sent).isEmpty();
  }

  @Test
  void nothingIsSentAfterTheDeadline() throws Exception {
    recovery.resume(created(NOW.minusSeconds(60), NOW));

    assertThat(sent).isEmpty();
  }

  @Test
  void aResponseWithoutRepliesIsGivenUpAMinuteAfterItsDeadline() {
    assertThat(recovery.isTooLate(created(NOW.minusSeconds(90), NOW.minusSeconds(59)))).isFalse();
    assertThat(recovery.isTooLate(created(NOW.minusSeconds(90), NOW.minusSeconds(61)))).isTrue();
  }

  @Test
  void aDayAfterTheDeadlineRepliesMayBeDeleted() {
    Instant yesterday = NOW.minus(Duration.ofDays(1));

    assertThat(recovery.isForgotten(created(yesterday, yesterday.plusSeconds(1)))).isFalse();
    assertThat(recovery.isForgotten(created(yesterday, yesterday.minusSeconds(1)))).isTrue();
  }

  private static CreatedResponse created(Instant at, Instant deadline) {
    return new CreatedResponse(
        "0190a6b8-0000-7000-8000-000000000000",
        "default",
        at,
        deadline,
        Map.of(),
        Json.mapper().createObjectNode(),
        Json.mapper().createArrayNode());
  }
}
