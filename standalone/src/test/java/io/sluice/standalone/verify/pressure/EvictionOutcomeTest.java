package io.sluice.standalone.verify.pressure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.standalone.verify.pool.Finding;
import org.junit.jupiter.api.Test;

class EvictionOutcomeTest {

  @Test
  void evictedBulkWithItsUninterruptedAnswersIsKept() {
    Finding finding = new EvictionOutcome(2, true, 6, 6, 0, 3, 400).finding();

    assertThat(finding.isKept()).isTrue();
    assertThat(finding.text())
        .isEqualTo(
            "2 times a bulk request was evicted; 6 of 6 bulk answers are the uninterrupted ones;"
                + " 3 interactive requests were answered within 400 ms");
  }

  @Test
  void answersThatTheEngineDoesNotRepeatAreOnlyTold() {
    Finding finding = new EvictionOutcome(2, true, 6, 5, 0, 3, 400).finding();

    assertThat(finding.isKept()).isTrue();
    assertThat(finding.text()).contains("ones, and 1 differ without any interruption too;");
  }

  @Test
  void aDifferentAnswerIsBroken() {
    assertThat(new EvictionOutcome(2, true, 6, 5, 1, 3, 400).finding().text())
        .startsWith("BROKEN: expected the uninterrupted answers; 2 times");
  }

  @Test
  void noEvictionIsBrokenOnlyIfOneWasNeeded() {
    assertThat(new EvictionOutcome(0, true, 6, 6, 0, 3, 400).finding().text())
        .startsWith("BROKEN: expected bulk requests to be evicted; 0 times");
    assertThat(new EvictionOutcome(0, false, 6, 6, 0, 3, 400).finding().isSkipped()).isTrue();
  }

  @Test
  void lateInteractiveAnswersAreBroken() {
    assertThat(new EvictionOutcome(1, true, 6, 6, 0, 3, 30_001).finding().text())
        .startsWith("BROKEN: expected interactive answers within 30 s; 1 times");
  }
}
