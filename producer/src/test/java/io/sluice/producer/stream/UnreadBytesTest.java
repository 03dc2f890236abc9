package io.sluice.producer.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.reply.Utf8Text;
import io.sluice.producer.reply.ReplyEvent;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class UnreadBytesTest {
  private static final int KIB = 1024;
  private static final String TENANT = "one";

  private final UnreadBytes unread = new UnreadBytes(80 * KIB);

  @Test
  void streamsOfATenantHoldLittleOnceTheyHoldTheHalfTogether() {
    // Given
    EventQueue first = queue(TENANT);
    EventQueue second = queue(TENANT);

    // Then
    assertThat(fill(first)).isEqualTo(40);
    assertThat(fill(second)).isEqualTo(16);
    assertThat(fill(queue("other"))).isEqualTo(24);
    assertThat(fill(queue("third"))).isEqualTo(16);
  }

  @Test
  void whatIsReadOrDiscardedMakesRoom() {
    // Given
    EventQueue first = queue(TENANT);
    EventQueue second = queue(TENANT);
    fill(first);
    fill(second);

    // When
    first.discard();

    // Then
    assertThat(fill(second)).isEqualTo(24);

    // When
    while (second.poll().isPresent()) {}

    // Then
    assertThat(fill(queue(TENANT))).isEqualTo(40);
  }

  @Test
  void anEventFitsForAReaderThatHasReadAllOthers() {
    // Given
    fill(queue(TENANT));
    EventQueue reading = queue(TENANT);

    // Then
    for (int i = 0; i < 3; i++) {
      assertThat(reading.offer(tokens(60 * KIB))).isTrue();
      assertThat(reading.offer(tokens(KIB))).isFalse();
      assertThat(reading.poll()).isPresent();
    }
  }

  private EventQueue queue(String tenant) {
    return new EventQueue(1_000, unread.share(tenant, this));
  }

  /** Returns how many events of 1 KiB fit. */
  private static int fill(EventQueue queue) {
    int added = 0;
    while (queue.offer(tokens(KIB))) {
      added++;
    }
    return added;
  }

  private static ReplyEvent.Tokens tokens(int bytes) {
    return new ReplyEvent.Tokens(
        "",
        0,
        1,
        OptionalLong.empty(),
        Optional.empty(),
        Utf8Text.of("x".repeat(bytes - EventQueue.EVENT_BYTES)));
  }
}
