package io.sluice.gateway.http.timeout;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SilentConnectionsTest {
  private final SilentConnections silent = new SilentConnections(Duration.ofSeconds(60));
  private final EmbeddedChannel channel = new EmbeddedChannel(silent);

  SilentConnectionsTest() {
    channel.freezeTime();
  }

  @Test
  void aConnectionWithoutAFirstRequestIsClosed() {
    // Given
    after(59);
    assertThat(channel.isOpen()).isTrue();

    // When
    after(2);

    // Then
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aConnectionWithAFirstRequestIsLeftAlone() {
    // Given
    silent.requestCame();

    // When
    after(3_600);

    // Then
    assertThat(channel.isOpen()).isTrue();
  }

  private void after(long seconds) {
    channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
  }
}
