package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class JsonMemoryTest {
  private static final byte[] TEXT = ("\"" + "a".repeat(99_998) + "\"").getBytes(UTF_8);

  @Test
  void aTenantHasHalfOfTheMemory() throws Exception {
    // Given memory for the trees of two texts
    JsonMemory memory = JsonMemory.of(2L * 2 * TEXT.length);
    TenantShares.Share first = memory.take("acme", TEXT);
    FutureTask<TenantShares.Share> second = new FutureTask<>(() -> memory.take("acme", TEXT));
    Thread waiting = Thread.ofPlatform().daemon().start(second);

    // When
    memory.take("other", TEXT).close();

    // Then
    assertThat(second.isDone()).isFalse();
    first.close();
    second.get().close();
    waiting.join();
  }

  @Test
  void smallOnesDoNotWait() throws Exception {
    JsonMemory memory = JsonMemory.of(100);

    try (TenantShares.Share _ = memory.take("acme", TEXT);
        TenantShares.Share small = memory.take("acme", "{}".getBytes(UTF_8))) {
      assertThat(small).isNotNull();
    }
  }

  @Test
  void oneThatIsLargerThanAllIsTakenAlone() throws Exception {
    // Given
    JsonMemory memory = JsonMemory.of(100);

    // When, Then
    try (TenantShares.Share _ = memory.take("acme", TEXT)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> memory.take("acme", TEXT)).isInstanceOf(InterruptedException.class);
    }
    memory.take("acme", TEXT).close();
  }
}
