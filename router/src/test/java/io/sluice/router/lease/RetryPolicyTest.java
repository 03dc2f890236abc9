package io.sluice.router.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.schedule.TestRequest;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryPolicyTest {
  private final RetryPolicy policy = new RetryPolicy(3);

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE})
  void whateverAnEngineAsksForIsLimitedByTheTimeThatIsLeft(long retryAfterMillis) {
    // Given
    RequestMetadata metadata = new TestRequest("r").deadlineMillis(60_000).metadata();
    long now = metadata.deadlineEpochMillis() - 60_000;
    var busy =
        new Outcome.Failed(
            FailureCode.ENGINE_OVERLOADED, 429, "busy", OptionalLong.of(retryAfterMillis), 0);

    // When
    long notBefore = policy.notBefore(busy, History.NONE, metadata, now, new SplittableRandom(1));

    // Then
    assertThat(notBefore).isBetween(now, now + 30_000);
  }
}
