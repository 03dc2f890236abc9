package io.sluice.standalone.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.standalone.verify.BadBodiesCheck.Statuses;
import io.sluice.standalone.verify.pool.Finding;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BadBodiesCheckTest {
  private static final List<StatusDecision> DECISIONS =
      List.of(new StatusDecision("Workers stream.", Pattern.compile("chat: .*"), 400, 200));

  @Test
  void aDecidedDifferenceIsToldWithItsReason() {
    Finding finding =
        BadBodiesCheck.finding(
            List.of(new Statuses("chat: a", 400, 200, ""), new Statuses("chat: b", 404, 404, "")),
            DECISIONS);
    assertThat(finding.isBroken()).isFalse();
    assertThat(finding.text()).startsWith("1 of 2 get").endsWith("decided: Workers stream.");
  }

  @Test
  void everyOtherDifferenceIsABrokenPromise() {
    Finding finding =
        BadBodiesCheck.finding(
            List.of(
                new Statuses("chat: a", 400, 502, ""),
                new Statuses("text: b", 400, 200, ""),
                new Statuses("text: c", 400, 0, "")),
            DECISIONS);
    assertThat(finding.isBroken()).isTrue();
    assertThat(finding.text())
        .contains("3 of 3 bodies")
        .contains(
            "chat: a (engine 400, pool 502)", "text: b", "text: c (engine 400, pool no answer)");
  }

  @ParameterizedTest
  @CsvSource({
    "bad chat: unknown model whole, model_not_found",
    "bad completion: one over the context, context_length_exceeded",
    "bad completion: as long as the context, context_length_exceeded",
    "bad chat: too long stream, context_length_exceeded",
  })
  void whatThePoolHasACodeForMustHaveIt(String name, String code) {
    var wrong = List.of(new Statuses(name, 400, 400, "invalid_request"));

    assertThat(BadBodiesCheck.finding(wrong, List.of()).text()).contains("instead of " + code);
    assertThat(
            BadBodiesCheck.finding(List.of(new Statuses(name, 400, 400, code)), List.of())
                .isBroken())
        .isFalse();
  }

  @Test
  void aLimitOverTheContextIsNotAPromptOverIt() {
    var cut = List.of(new Statuses("bad chat: limit over the context", 200, 200, ""));

    assertThat(BadBodiesCheck.finding(cut, List.of()).isBroken()).isFalse();
  }

  @Test
  void everyDecisionHasAReason() {
    assertThat(StatusDecision.load()).extracting(StatusDecision::reason).doesNotContain("");
  }
}
