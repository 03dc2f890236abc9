package io.sluice.gateway.attach;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.http.HttpHeaders;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.RequestId;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ProblemsTest {
  private static final Instant NOW = Instant.parse("2026-12-02T02:00:00Z");

  @Test
  void aYoungRequestMayStillWaitSoClientsTryAgain() {
    // Given
    String young = RequestId.derived(NOW.minus(Duration.ofMinutes(59)), "a");

    // When
    HttpHeaders headers = notFound(young);

    // Then
    assertThat(headers.get("x-should-retry")).isEqualTo("true");
    assertThat(headers.get("retry-after")).isEqualTo("1");
  }

  @Test
  void otherIdsHaveNoAnswerForGood() {
    for (String id :
        new String[] {RequestId.derived(NOW.minus(Duration.ofHours(2)), "a"), "chat-7"}) {
      assertThat(notFound(id).get("x-should-retry")).as(id).isNull();
      assertThat(notFound(id).get("retry-after")).as(id).isNull();
    }
  }

  private static HttpHeaders notFound(String id) {
    var unreadable = new UnreadableException(ErrorKind.REQUEST_NOT_FOUND, "there is none");
    return Problems.of(unreadable, id, "offset", NOW).error().toResponse().getHeaders();
  }
}
