package io.sluice.standalone.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.standalone.verify.BadBodiesCheck.Statuses;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class BadBodiesCheckTest {
  private static final List<StatusDecision> DECISIONS =
      List.of(new StatusDecision("Workers stream.", Pattern.compile("chat: .*"), 400, 200));

  @Test
  void aDecidedDifferenceIsToldWithItsReason() {
    Finding finding =
        BadBodiesCheck.finding(
            List.of(new Statuses("chat: a", 400, 200), new Statuses("chat: b", 404, 404)),
            DECISIONS);
    assertThat(finding.isBroken()).isFalse();
    assertThat(finding.text()).startsWith("1 of 2 get").endsWith("decided: Workers stream.");
  }

  @Test
  void everyOtherDifferenceIsABrokenPromise() {
    Finding finding =
        BadBodiesCheck.finding(
            List.of(
                new Statuses("chat: a", 400, 502),
                new Statuses("text: b", 400, 200),
                new Statuses("text: c", 400, 0)),
            DECISIONS);
    assertThat(finding.isBroken()).isTrue();
    assertThat(finding.text())
        .contains("3 of 3 bodies")
        .contains(
            "chat: a (engine 400, pool 502)", "text: b", "text: c (engine 400, pool no answer)");
  }

  @Test
  void everyDecisionHasAReason() {
    assertThat(StatusDecision.load()).extracting(StatusDecision::reason).doesNotContain("");
  }
}
