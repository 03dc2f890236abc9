package io.sluice.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessorTimeTest {
  @Test
  void theTimeOfThisProcessContainsThatOfItsThreads() {
    ProcessorTime time = ProcessorTime.of(ProcessHandle.current().pid()).orElseThrow();

    assertThat(time.all()).isPositive();
    assertThat(time.compiler()).isPositive();
    assertThat(time.compiler() + time.collector() + time.broker()).isLessThanOrEqualTo(time.all());
  }

  @Test
  void aProcessThatDoesNotExistHasNoTime() {
    assertThat(ProcessorTime.of(Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void aDifferenceIsThatOfEachPart() {
    var earlier = new ProcessorTime(10, 4, 2, 1);

    assertThat(new ProcessorTime(30, 5, 5, 5).since(earlier))
        .isEqualTo(new ProcessorTime(20, 1, 3, 4));
  }
}
