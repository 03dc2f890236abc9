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

    var first = memory.tryBegin(body(150 * KIB)).orElseThrow();

    assertThat(memory.tryBegin(body(51 * KIB))).isEmpty();
    assertThat(memory.tryBegin(body(50 * KIB))).isPresent();
    first.close();
    assertThat(memory.tryBegin(body(51 * KIB))).isPresent();
  }

  @Test
  void aBodyThatNeverFitsHasRoomWhileOthersHoldAQuarter() {
    HeldMemory memory = HeldMemory.of(1200 * KIB);

    var first = memory.tryBegin(body(100 * KIB)).orElseThrow();

    memory.tryBegin(body(2_000 * KIB)).orElseThrow().close();
    var second = memory.tryBegin(body(KIB)).orElseThrow();
    assertThat(memory.tryBegin(body(2_000 * KIB))).isEmpty();
    first.close();
    second.close();
    assertThat(memory.bytes()).isZero();
  }

  @Test
  void aLargeAnswerLeavesWhenThereIsTooLittle() {
    HeldMemory memory = HeldMemory.of(1200 * KIB);
    var large = memory.tryBegin(body(0)).orElseThrow();
    var small = memory.tryBegin(body(0)).orElseThrow();

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

  @Test
  void itIsNearlyFullBeforeBodiesHaveNoRoom() {
    HeldMemory memory = HeldMemory.of(1200 * KIB);

    var first = memory.tryBegin(body(149 * KIB)).orElseThrow();
    assertThat(memory.isNearlyFull()).isFalse();
    var second = memory.tryBegin(body(2 * KIB)).orElseThrow();

    assertThat(memory.isNearlyFull()).isTrue();
    first.close();
    second.close();
  }
}
