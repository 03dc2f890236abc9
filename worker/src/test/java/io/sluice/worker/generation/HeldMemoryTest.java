package io.sluice.worker.generation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HeldMemoryTest {
  private static final int KIB = 1024;

  /** Of the weight of three times its length. */
  private static byte[] body(int length) {
    return "x".repeat(length).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void bodiesHaveHalfOfIt() {
    HeldMemory memory = HeldMemory.of(1200 * KIB);

    var first = memory.begin(body(150 * KIB));

    assertThat(memory.hasRoomFor(body(50 * KIB))).isTrue();
    assertThat(memory.hasRoomFor(body(51 * KIB))).isFalse();
    first.close();
    assertThat(memory.hasRoomFor(body(51 * KIB))).isTrue();
  }

  @Test
  void aBodyThatNeverFitsHasRoomWhileOthersHoldAQuarter() {
    HeldMemory memory = HeldMemory.of(1200 * KIB);

    var first = memory.begin(body(100 * KIB));

    assertThat(memory.hasRoomFor(body(2_000 * KIB))).isTrue();
    var second = memory.begin(body(KIB));
    assertThat(memory.hasRoomFor(body(2_000 * KIB))).isFalse();
    first.close();
    second.close();
    assertThat(memory.bytes()).isZero();
  }

  @Test
  void aLargeAnswerLeavesWhenThereIsTooLittle() {
    HeldMemory memory = HeldMemory.of(1200 * KIB);
    var large = memory.begin(body(0));
    var small = memory.begin(body(0));

    large.answered(1000 * KIB);
    small.answered(200 * KIB);
    assertThat(large.mustLeave()).isFalse();
    small.answered(KIB);

    assertThat(large.mustLeave()).isTrue();
    assertThat(small.mustLeave()).isFalse();
    large.close();
    small.answered(200 * KIB);
    assertThat(small.mustLeave()).isFalse();
  }
}
